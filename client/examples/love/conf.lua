-- SPDX-License-Identifier: MIT
function love.conf(t)
    t.identity = "raim-love"
    t.window.title = "raim in LÖVE"
    t.window.width, t.window.height = 1280, 689
    t.window.resizable = true
    t.modules.joystick, t.modules.physics, t.modules.video = false, false, false
end
