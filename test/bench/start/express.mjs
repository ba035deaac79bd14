import express from 'express'
import request from 'supertest'

const app = express().use(express.json())
app.get('/api/persona/:id', ({ params }, response) => response.json({ id: Number(params.id) }))
await request(app).get('/api/persona/1').set('Authorization', 'Bearer admin').expect(200)
