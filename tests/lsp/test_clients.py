"""The server as the editors that pytest-lsp knows would use it: every answer is read with the types of the protocol.

Run with GPULINT naming the binary: python -m pytest tests/lsp/test_clients.py
"""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

TEXT = "batch_size: 8\nnum_workers: 0\npersistent_workers: true\nmodel: resnet50\nimage_size: 224\nlearning_rate: 0.1\n"
LOADER = {"no-loader-workers", "persistent-workers-without-workers"}
CLIENTS = ["visual_studio_code", "neovim@v0.11", "neovim@v0.7", "emacs"]
SERVER = ClientServerConfig(server_command=[os.environ["GPULINT"], "lsp"])


@pytest_lsp.fixture(config=SERVER, params=CLIENTS)
async def client(request, lsp_client: LanguageClient, tmp_path):
    (tmp_path / ".git").mkdir()
    capabilities = client_capabilities(request.param)

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_: types.RegistrationParams):
        return None

    @lsp_client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(*_):
        return None

    folder = types.WorkspaceFolder(uri=tmp_path.as_uri(), name="project")
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[folder],
            initialization_options={"gpu": "a10g"},
        )
    )
    yield
    await lsp_client.shutdown_session()


def open_document(client, path: pathlib.Path, text):
    document = types.TextDocumentItem(uri=path.as_uri(), language_id="yaml", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))
    return types.TextDocumentIdentifier(uri=path.as_uri())


async def published(client):
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)


WHOLE = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=9, character=0))


@pytest.mark.asyncio
async def test_findings_follow_the_edits(client, tmp_path):
    document = open_document(client, tmp_path / "train.yaml", TEXT)
    await published(client)
    assert LOADER <= {each.code for each in client.diagnostics[document.uri]}
    place = types.Range(start=types.Position(line=1, character=13), end=types.Position(line=1, character=14))
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=document.uri, version=2),
            content_changes=[types.TextDocumentContentChangePartial(range=place, text="4")],
        )
    )
    await published(client)
    assert not LOADER & {each.code for each in client.diagnostics[document.uri]}


@pytest.mark.asyncio
async def test_what_an_editor_asks_about_a_place(client, tmp_path):
    document = open_document(client, tmp_path / "train.yaml", TEXT)
    here = types.Position(line=1, character=13)
    hover = await client.text_document_hover_async(types.HoverParams(text_document=document, position=here))
    assert "num_workers" in hover.contents.value
    items = await client.text_document_completion_async(
        types.CompletionParams(text_document=document, position=types.Position(line=3, character=10))
    )
    assert any("resnet50" in item.label for item in items.items)
    definition = await client.text_document_definition_async(
        types.DefinitionParams(text_document=document, position=here)
    )
    assert definition is None
    links = await client.text_document_document_link_async(types.DocumentLinkParams(text_document=document))
    assert not links


@pytest.mark.asyncio
async def test_actions_hints_and_lenses(client, tmp_path):
    document = open_document(client, tmp_path / "train.yaml", TEXT)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document, range=WHOLE, context=types.CodeActionContext(diagnostics=[])
        )
    )
    assert "Ignore no-loader-workers here" in [action.title for action in actions]
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=WHOLE))
    assert any("of 22.1 GiB" in hint.label for hint in hints)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
    assert [lens.command.command for lens in lenses] == ["gpulint.estimate", "gpulint.fit", "gpulint.diff"]
    shown = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="gpulint.estimate", arguments=[document.uri])
    )
    assert "VRAM" in shown


@pytest.mark.asyncio
async def test_the_whole_workspace(client, tmp_path):
    (tmp_path / "other.yaml").write_text(TEXT)
    document = open_document(client, tmp_path / "train.yaml", TEXT)
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(text_document=document))
    assert LOADER <= {each.code for each in report.items}
    reports = await client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=[]))
    assert sorted(each.uri.rsplit("/", 1)[1] for each in reports.items) == ["other.yaml", "train.yaml"]
