import { startMock } from 'knowledge-chat-mock'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Leads to the state that was found.
const scenario = {
  start: {
    fixtures: "demo",
    seed: 1,
    scale: 1,
    now: "2026-03-02T10:00:00.000Z",
    profile: "documented",
    assume: {}
  },
  steps: [
    {
      call: {
        operation: "updatePersona",
        path: {
          persona_id: 1
        },
        body: {
          name: "Renamed"
        }
      }
    }
  ]
}

let mock
beforeAll(async () => {
  mock = await startMock({ port: 0 })
})
afterAll(() => mock?.close())

test("GET /api/persona/1 as basic is answered with 200", async () => {
  await mock.sandbox('default').play(scenario)
  const response = await fetch(mock.url + "/api/persona/1", {
    method: "GET",
    headers: {
      accept: "*/*",
      authorization: "Bearer basic"
    }
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    id: 1,
    name: "Renamed",
    description: "Turns merged changes into notes that customers understand.",
    is_public: true,
    is_visible: true,
    uploaded_image_id: "a3bc33e5-1278-4d24-833e-2c35794655f7",
    icon_name: "pencil",
    user_file_ids: [
      "a87ff679-a2f3-471d-9181-a67b7542122c",
      "6f59327e-820d-4a2b-91f4-2f47446fa75b"
    ],
    display_priority: 9,
    is_default_persona: false,
    builtin_persona: false,
    starter_messages: [
      {
        name: "This week",
        message: "What changed this week?"
      },
      {
        name: "For growers",
        message: "Explain frost alerts in three sentences."
      }
    ],
    tools: [
      {
        id: 1,
        name: "internal_search",
        description: "Searches the connected documents.",
        display_name: "Internal search",
        in_code_tool_id: "SearchTool",
        custom_headers: [],
        passthrough_auth: false,
        enabled: true,
        chat_selectable: true,
        agent_creation_selectable: true,
        default_enabled: true
      },
      {
        id: 5,
        name: "open_url",
        description: "Reads the content of web pages.",
        display_name: "Open URL",
        in_code_tool_id: "OpenURLTool",
        custom_headers: [],
        passthrough_auth: false,
        enabled: true,
        chat_selectable: false,
        agent_creation_selectable: true,
        default_enabled: true
      },
      {
        id: 7,
        name: "greenhouse_readings",
        description: "Reads temperature and humidity of a greenhouse.",
        display_name: "Greenhouse readings",
        definition: {
          openapi: "3.0.3",
          info: {
            title: "Greenhouse readings",
            description: "Readings of Dewpoint sensors",
            version: "1.0.0"
          },
          servers: [
            {
              url: "https://readings.larkfield.example"
            }
          ],
          paths: {
            "/greenhouses": {
              get: {
                operationId: "listGreenhouses",
                summary: "List the greenhouses of a grower",
                parameters: [],
                responses: {
                  "200": {
                    description: "Done"
                  }
                }
              }
            },
            "/greenhouses/{greenhouse_id}/readings": {
              get: {
                operationId: "getReadings",
                summary: "Read the last day of one greenhouse",
                parameters: [
                  {
                    name: "greenhouse_id",
                    in: "path",
                    required: true,
                    schema: {
                      type: "string"
                    }
                  }
                ],
                responses: {
                  "200": {
                    description: "Done"
                  }
                }
              }
            }
          }
        },
        custom_headers: [
          {
            key: "X-Client",
            value: expect.anything()
          }
        ],
        passthrough_auth: false,
        user_id: "a08ff49b-6f77-4263-b271-6c43069c43a8",
        enabled: true,
        chat_selectable: true,
        agent_creation_selectable: true,
        default_enabled: false
      }
    ],
    labels: [
      {
        id: 1,
        name: "Writing"
      }
    ],
    owner: {
      id: "a08ff49b-6f77-4263-b271-6c43069c43a8",
      email: "ada@example.com"
    },
    users: [
      {
        id: "a90106aa-caaf-40de-b0d8-9511a6088ad7",
        email: "grace@example.com"
      }
    ],
    groups: [],
    document_sets: [
      {
        id: 1,
        name: "Product wiki",
        description: "What every grower may know",
        cc_pair_summaries: [
          {
            id: 1,
            name: "Product wiki",
            source: "web",
            access_type: "public"
          },
          {
            id: 56,
            name: "Help pages",
            source: "web",
            access_type: "sync"
          },
          {
            id: 57,
            name: "Help pages, staff view",
            source: "web",
            access_type: "public"
          },
          {
            id: 13,
            name: "Engineering wiki",
            source: "confluence",
            access_type: "public"
          }
        ],
        is_up_to_date: true,
        is_public: true,
        users: [],
        groups: [],
        federated_connector_summaries: []
      }
    ],
    llm_model_provider_override: "openai",
    llm_model_version_override: "gpt-4o",
    num_chunks: 11,
    llm_relevance_filter: false,
    llm_filter_extraction: false,
    system_prompt: "You write release notes for growers. Name what changed and what it spares them.",
    task_prompt: "Group the changes by audience.",
    replace_base_system_prompt: false,
    datetime_aware: true,
    search_start_date: "2025-12-02T10:00:00.000Z"
  })
})
