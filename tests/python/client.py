"""The Python client against a server with the example deployed. Usage: python client.py URL"""

import sys

from convex import ConvexClient, ConvexError, ConvexInt64

client, watcher = ConvexClient(sys.argv[1]), ConvexClient(sys.argv[1])
ann = client.mutation("users:register", {"name": "Ann", "email": "ann@example.com"})
client.mutation("channels:create", {"name": "general", "createdBy": ann})

# What one connection writes, another one that watches sees.
updates = watcher.subscribe("messages:recent", {"channel": "general", "limit": 10.0})
bodies = []
for expected in [[], ["hello"], ["hello", "again"]]:
    for body in expected[len(bodies) :]:
        client.mutation("messages:send", {"channel": "general", "author": ann, "body": body})
    bodies = [message["body"] for message in next(updates)]
    assert bodies == expected, bodies

# Errors of the app come with their data, others with their text.
try:
    client.query("messages:recent", {"channel": "nowhere"})
    raise AssertionError("there is a channel nobody made")
except ConvexError as error:
    assert error.data["code"] == "NotFound", error.data
try:
    client.mutation("users:register", {"name": "", "email": ""})
    raise AssertionError("somebody without a name was registered")
except ConvexError as error:
    assert error.data["code"] == "InvalidProfile", error.data
try:
    client.mutation("channels:create", {"name": "general", "createdBy": ann})
    raise AssertionError("a channel was made twice")
except Exception as error:
    assert "There is a channel" in str(error), error
try:
    client.query("users:get", {"id": ConvexInt64(1)})
    raise AssertionError("an invalid argument was accepted")
except Exception as error:
    assert "ArgumentValidationError" in str(error), error

print("done")
