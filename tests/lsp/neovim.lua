-- Run by neovim.sh: what an editor makes of the server. Ends with an exit code of 1 where something is wrong.

local folder = os.getenv("GPULINT_FOLDER")

local function fail(what)
  io.stdout:write("neovim.lua: " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function check(condition, what)
  if not condition then fail(what) end
end

local function main()
  vim.cmd("edit " .. folder .. "/train.yaml")
  local buffer = vim.api.nvim_get_current_buf()
  local number = vim.lsp.start_client({
    name = "gpulint",
    cmd = { os.getenv("GPULINT"), "lsp" },
    root_dir = folder,
  })
  check(number, "the server does not start")
  vim.lsp.buf_attach_client(buffer, number)
  local client = vim.lsp.get_client_by_id(number)

  local function codes()
    local list = {}
    for _, each in ipairs(vim.diagnostic.get(buffer)) do table.insert(list, each.code) end
    table.sort(list)
    return table.concat(list, " ")
  end
  local function wait_for(wanted)
    local came = vim.wait(10000, function() return codes() == wanted end, 10)
    check(came, 'expected "' .. wanted .. '", got "' .. codes() .. '"')
  end
  local function ask(method, params)
    local answer = client.request_sync(method, params, 10000, buffer)
    check(answer and not answer.err, method .. ": " .. vim.inspect(answer and answer.err))
    return answer.result
  end
  local uri = vim.uri_from_bufnr(buffer)

  wait_for("no-loader-workers persistent-workers-without-workers")
  local first = vim.diagnostic.get(buffer)[1]
  check(first.lnum == 1 or first.lnum == 2, "the line of a finding")

  -- Typed text with a character outside of the first plane, in front of a value on the same line.
  vim.api.nvim_buf_set_lines(buffer, 1, 2, false, { "# \u{1F600} loader", "num_workers: 4" })
  wait_for("")
  vim.api.nvim_buf_set_lines(buffer, 1, 3, false, { "num_workers: 0" })
  wait_for("no-loader-workers persistent-workers-without-workers")

  local hover = ask("textDocument/hover", { textDocument = { uri = uri }, position = { line = 1, character = 3 } })
  check(hover.contents.value:find("**num_workers** = 0 workers", 1, true), "the hover: " .. hover.contents.value)

  local whole = { start = { line = 0, character = 0 }, ["end"] = { line = 9, character = 0 } }
  local actions = ask("textDocument/codeAction",
    { textDocument = { uri = uri }, range = whole, context = { diagnostics = {}, only = { "source.fixAll" } } })
  check(#actions == 1, "the action that fixes all")
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  check(vim.api.nvim_buf_get_lines(buffer, 2, 3, false)[1] == "persistent_workers: false", "the fix in the buffer")
  wait_for("no-loader-workers")

  local ignore = nil
  for _, action in ipairs(ask("textDocument/codeAction",
    { textDocument = { uri = uri }, range = whole, context = { diagnostics = {} } })) do
    if action.title == "Ignore no-loader-workers here" then ignore = action end
  end
  check(ignore, "the action that ignores a finding")
  vim.lsp.util.apply_workspace_edit(ignore.edit, client.offset_encoding)
  wait_for("")

  local items = ask("textDocument/completion", { textDocument = { uri = uri }, position = { line = 0, character = 3 } })
  check(#items.items > 0, "keys are offered")
  local lenses = ask("textDocument/codeLens", { textDocument = { uri = uri } })
  check(#lenses == 3, "the lenses of the run")

  client.stop()
  check(vim.wait(10000, function() return client.is_stopped() end, 10), "the server does not stop")
  io.stdout:write("neovim " .. vim.version().major .. "." .. vim.version().minor .. "." .. vim.version().patch .. ": ok\n")
  vim.cmd("qall!")
end

local ok, message = pcall(main)
if not ok then fail(message) end
