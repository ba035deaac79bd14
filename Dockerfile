FROM node:20-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:20-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev
# For --data redis://. It has no dependencies.
COPY --from=build /build/node_modules/@redis node_modules/@redis

FROM node:20-alpine
ENV NODE_ENV=production KCM_HOST=0.0.0.0 KCM_PORT=4010
WORKDIR /app
COPY package.json ./
COPY --from=dependencies /build/node_modules node_modules
COPY --from=build /build/contracts contracts
COPY --from=build /build/fixtures/scenarios fixtures/scenarios
COPY --from=build /build/dist dist
COPY --from=build /build/docs docs
COPY --from=build /build/llms.txt llms.txt
USER node
EXPOSE 4010
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.KCM_PORT}/__mock/health?ready=true`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
