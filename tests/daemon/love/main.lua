-- SPDX-License-Identifier: MIT
-- Plays client/examples/love, which the test puts beside this file as game.lua, by a mouse and keys
-- of its own up to a hit, while LÖVE's own ENet talks to itself in the same process. Prints a line
-- and ends; with status 1 after SECONDS without a hit.
function love.errorhandler(message)
    print(debug.traceback(message))
    return function() return 1 end
end

local enet = require "enet"
local SECONDS = 60
local game = require "game"

local server = enet.host_create("127.0.0.1:0")
local host = enet.host_create()
local peer = host:connect(server:get_socket_address())
local echoes, frames, began = 0, 0, love.timer.getTime()
local mouse, keys = {x = 0, y = 0, down = false}, {}

function love.mouse.getPosition() return mouse.x, mouse.y end
function love.mouse.isDown() return mouse.down end
function love.keyboard.isDown(key) return keys[key] == true end

-- A message to the server and back in every frame.
local function exchange()
    for _, each in ipairs({server, host}) do
        local event = each:service()
        while event do
            if event.type == "receive" and each == server then
                event.peer:send(event.data)
            elseif event.type == "receive" then
                echoes = echoes + (event.data == "over ENet" and 1 or 0)
            end
            event = each:service()
        end
    end
    if peer:state() == "connected" then
        peer:send("over ENet")
    end
end

-- Runs to the nearest player in sight and fires ahead of its run; else about the map's middle.
local function aim()
    local nearest, target = 1e9, nil
    for _, one in ipairs(game.players) do
        local x, y = one.position.x - game.eye.x, one.position.y - game.eye.y
        local distance = math.sqrt(x * x + y * y)
        if one.slot ~= game.own and distance < nearest then
            local flight = math.min(0.3, distance / game.rules.bullet_speed)
            nearest = distance
            target = {x = x + one.velocity.x * flight, y = y + one.velocity.y * flight}
        end
    end
    local width, height = love.graphics.getDimensions()
    local way = target or {x = -game.eye.x, y = -game.eye.y}
    mouse = {x = width / 2 + way.x * game.scale(), y = height / 2 - way.y * game.scale(),
             down = target ~= nil}
    local sway = frames % 60 < 30
    keys = {d = way.x > 60 or sway, a = way.x < -60 or not sway, w = way.y > 60, s = way.y < -60}
end

local update = love.update
function love.update(dt)
    update(dt)
    exchange()
    frames = frames + 1
    if game.is_playing then
        aim()
    end
    local key = require("ffi").new("uint8_t[32]")
    local is_encrypted = game.raim.raim_link_server_key(game.link, key)
    local is_over = love.timer.getTime() - began > SECONDS or game.state:find("ended") ~= nil
    if is_over or (game.hits > 0 and echoes > 10) then
        print(("%s; %d shots, %d hits; encrypted: %s; %d echoes over LÖVE's ENet; %d frames"):format(
            game.state, game.shots, game.hits, tostring(is_encrypted), echoes, frames))
        io.stdout:flush()
        love.event.quit(game.hits > 0 and 0 or 1)
    end
end
