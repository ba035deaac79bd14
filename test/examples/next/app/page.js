export default function Page() {
  return <h1>The application</h1>
}
