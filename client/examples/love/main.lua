-- SPDX-License-Identifier: MIT
-- A game in LÖVE 11 on libraimclient, through LuaJIT's FFI: WASD runs, the mouse aims and fires.
-- Usage: love client/examples/love [HOST[:PORT]], with `raimd --demo` running. RAIM_LIBRARY is the
-- path of libraimclient, if the system's loader does not find it. The link's own thread receives
-- and sends, so the frame rate of the game does not matter to the network.
local ffi = require "ffi"
ffi.cdef((love.filesystem.read("raim.cdef"))) -- without the size
local raim = ffi.load(os.getenv("RAIM_LIBRARY") or "raimclient")

local MAX_PLAYERS, MAX_BULLETS, MAX_LINES = 1024, 8192, 5
local players = ffi.new("struct raim_client_player[?]", MAX_PLAYERS)
local bullets = ffi.new("struct raim_client_bullet[?]", MAX_BULLETS)
local event = ffi.new("struct raim_client_event")
local input = ffi.new("raim_input")

-- What is drawn: copied once a frame while the link is locked.
local game = {players = {}, bullets = {}, feed = {}, state = "connecting"}

local function open(address)
    local host, port = ffi.new("char[256]", "127.0.0.1"), ffi.new("uint16_t[1]", 7246)
    if address and not raim.raim_link_read_address(address, host, port) then
        error("not an address: " .. address)
    end
    local def = ffi.new("struct raim_client_def")
    raim.raim_client_init_def(def, ffi.sizeof(def))
    def.name = "love" -- a constant string, which Lua keeps
    local link = raim.raim_link_open(host, port[0], def)
    if link == nil then
        error("no memory or no random numbers")
    end
    return ffi.gc(link, raim.raim_link_close)
end

function love.load(arguments)
    game.raim, game.link = raim, open(arguments[1])
    game.client = raim.raim_link_client(game.link)
    if not raim.raim_link_start_thread(game.link) then
        error("no thread")
    end
end

local function name_of(id)
    local slot = bit.band(id, 1023)
    if id == 0 or slot >= raim.raim_client_max_players(game.client) then
        return "?"
    end
    return ffi.string(raim.raim_client_get_roster_entry(game.client, slot).name)
end

local function read_events()
    while raim.raim_client_next_event(game.client, event) do
        if event.kind == raim.RAIM_CLIENT_KILL then
            table.insert(game.feed, name_of(event.player) .. " hit " .. name_of(event.victim))
        elseif event.kind == raim.RAIM_CLIENT_CHAT then
            table.insert(game.feed, name_of(event.player) .. ": " .. ffi.string(event.text))
        end
        if #game.feed > MAX_LINES then
            table.remove(game.feed, 1)
        end
    end
end

-- The server sends what could come into sight soon; a fair client shows what is in sight.
local function is_in_sight(position, radius)
    local eye, view = game.eye, game.view
    return math.abs(position.x - eye.x) < view.x / 2 + radius and
        math.abs(position.y - eye.y) < view.y / 2 + radius and
        (not game.has_sight or raim.raim_map_sees_circle(game.map, eye, position, radius))
end

local function copy_arena()
    raim.raim_client_interpolate(game.client, raim.raim_link_now_us())
    if not raim.raim_client_can_draw(game.client) then
        return
    end
    game.map, game.rules = raim.raim_client_map(game.client), raim.raim_client_rules(game.client)[0]
    game.eye, game.view = raim.raim_client_eye(game.client), raim.raim_client_view(game.client)
    game.has_sight = raim.raim_client_has_sight(game.client)
    game.own = raim.raim_client_own_slot(game.client)
    game.players, game.bullets = {}, {}
    local count = raim.raim_client_interpolated_players(game.client, players, MAX_PLAYERS)
    for i = 0, count - 1 do
        local one = players[i]
        if one.slot == game.own or is_in_sight(one.position, game.rules.player_radius) then
            table.insert(game.players, one)
        end
    end
    for i = 0, raim.raim_client_interpolated_bullets(game.client, bullets, MAX_BULLETS) - 1 do
        if is_in_sight(bullets[i].position, game.rules.bullet_radius) then
            table.insert(game.bullets, bullets[i])
        end
    end
end

-- Pixels of a unit: the whole view fits the window.
local function scale()
    local width, height = love.graphics.getDimensions()
    return math.min(width / game.view.x, height / game.view.y)
end
game.scale = scale

local function read_controls()
    local down, x, y = love.keyboard.isDown, love.mouse.getPosition()
    local width, height = love.graphics.getDimensions()
    input.move_x = (down("d") and 1 or 0) - (down("a") and 1 or 0)
    input.move_y = (down("w") and 1 or 0) - (down("s") and 1 or 0)
    input.fire = love.mouse.isDown(1) and 1 or 0
    input.aim = raim.raim_angle_of(ffi.new("raim_vec2", x - width / 2, height / 2 - y))
end

function love.update()
    raim.raim_link_lock(game.link)
    local state = raim.raim_client_get_state(game.client)
    if state == raim.RAIM_CLIENT_PLAYING then
        copy_arena()
    end
    read_events()
    local stats = raim.raim_client_get_stats(game.client)
    game.shots, game.hits = tonumber(stats.shots), tonumber(stats.hits)
    game.is_playing = state == raim.RAIM_CLIENT_PLAYING and game.map ~= nil
    local reason = raim.raim_client_get_end(game.client).reason
    game.state = state == raim.RAIM_CLIENT_ENDED and
        "ended: " .. ffi.string(raim.raim_client_reason_name(reason)) or
        game.is_playing and "playing" or "connecting"
    raim.raim_link_unlock(game.link)
    if game.is_playing then
        read_controls()
        raim.raim_link_set_input(game.link, input)
    end
end

local function draw_obstacles()
    local border = game.map.border
    love.graphics.setColor(0.2, 0.22, 0.27)
    love.graphics.rectangle("fill", border.min.x, border.min.y, border.max.x - border.min.x,
                            border.max.y - border.min.y)
    love.graphics.setColor(0.45, 0.48, 0.55)
    for i = 0, game.map.obstacle_count - 1 do
        local corners, polygon = {}, game.map.obstacles[i]
        for corner = 0, polygon.count - 1 do
            table.insert(corners, polygon.points[corner].x)
            table.insert(corners, polygon.points[corner].y)
        end
        love.graphics.polygon("fill", corners)
    end
end

local function draw_player(one)
    local turn = one.aim / 65536 * 2 * math.pi
    local x, y, radius = one.position.x, one.position.y, game.rules.player_radius
    love.graphics.setColor(unpack(one.slot == game.own and {0.3, 0.8, 1} or {1, 0.5, 0.3}))
    love.graphics.circle(one.shielded and "line" or "fill", x, y, radius)
    love.graphics.line(x, y, x + 1.5 * radius * math.cos(turn), y + 1.5 * radius * math.sin(turn))
end

function love.draw()
    if game.is_playing then
        local width, height = love.graphics.getDimensions()
        love.graphics.push()
        love.graphics.translate(width / 2, height / 2)
        love.graphics.scale(scale(), -scale())
        love.graphics.translate(-game.eye.x, -game.eye.y)
        draw_obstacles()
        for _, one in ipairs(game.players) do
            draw_player(one)
        end
        love.graphics.setColor(1, 1, 0.6)
        for _, one in ipairs(game.bullets) do
            love.graphics.circle("fill", one.position.x, one.position.y, game.rules.bullet_radius)
        end
        love.graphics.pop()
    end
    love.graphics.setColor(1, 1, 1)
    local line = game.is_playing and "shots %d  hits %d" or game.state
    love.graphics.print(line:format(game.shots or 0, game.hits or 0), 10, 10)
    love.graphics.print(table.concat(game.feed, "\n"), 10, 40)
end

-- Says goodbye, for at most a second. Lua closes the link when it ends.
function love.quit()
    raim.raim_link_leave(game.link)
    for _ = 1, 100 do
        if not raim.raim_link_is_open(game.link) then
            break
        end
        love.timer.sleep(0.01)
    end
    raim.raim_link_stop_thread(game.link)
end

return game
