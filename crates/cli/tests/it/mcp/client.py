"""Talks to `segue mcp` as the official client for Python does, and fails if anything is not as it should be.

    client.py SEGUE DIRECTORY
"""

import asyncio
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ListRootsResult, Root


async def use(session):
    tools = (await session.list_tools()).tools
    assert [tool.name for tool in tools] == ["briefing", "save", "search", "show", "list", "note"], tools
    assert all(tool.output_schema and tool.annotations for tool in tools)
    saved = await session.call_tool("save", {"title": "From Python", "body": "## Next Steps\n\n- Go on\n", "tags": ["py"]})
    assert not saved.is_error, saved
    number = saved.structured_content["id"]
    shown = await session.call_tool("show", {"id": number})
    assert shown.structured_content["text"] == "## Next Steps\n\n- Go on\n", shown
    # The client checks each answer against its schema.
    for name, arguments in [
        ("briefing", {}),
        ("search", {"query": "go on"}),
        ("list", {"limit": 3}),
        ("note", {"kind": "decision", "text": "Clients: both", "why": "they differ", "rejected": ["one"]}),
    ]:
        answer = await session.call_tool(name, arguments)
        assert not answer.is_error and answer.structured_content, answer
    wrong = await session.call_tool("show", {"id": "00000000"})
    assert wrong.is_error and number in wrong.content[0].text, wrong
    resources = (await session.list_resources()).resources
    read = await session.read_resource(str(resources[-1].uri))
    assert "From Python" in read.contents[0].text, read
    assert len((await session.list_resource_templates()).resource_templates) == 1
    assert [prompt.name for prompt in (await session.list_prompts()).prompts] == ["hand-off", "resume"]
    told = await session.get_prompt("resume")
    assert "From Python" in told.messages[0].content.text, told


async def main(segue, directory):
    here = pathlib.Path(directory)

    async def roots(_):
        return ListRootsResult(roots=[Root(uri=here.as_uri())])

    server = StdioServerParameters(command=segue, args=["mcp"], env={"SEGUE_HOME": str(here / "store"), "HOME": directory})
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write, list_roots_callback=roots) as session:
            begun = await session.initialize()
            assert begun.server_info.name == "segue", begun
            await use(session)
            listed = await session.call_tool("list", {})
            assert listed.structured_content["handoffs"][0]["project"] == here.name, listed
    # The newer way, without a handshake.
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.discover()
            await use(session)
            print(f"spoken: {begun.protocol_version} and {session.protocol_version}")


asyncio.run(main(*sys.argv[1:]))
