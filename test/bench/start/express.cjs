const express = require('express')
const request = require('supertest')

const app = express().use(express.json())
app.get('/api/persona/:id', ({ params }, response) => response.json({ id: Number(params.id) }))
request(app)
  .get('/api/persona/1')
  .set('Authorization', 'Bearer admin')
  .expect(200)
  .end((error) => {
    if (error) throw error
  })
