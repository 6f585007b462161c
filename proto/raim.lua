-- SPDX-License-Identifier: MIT
-- Wireshark dissector of raimd's protocol: ENet 1.3 datagrams as protocol raim_enet, the messages in them as
-- protocol raim, connectionless and encrypted datagrams as protocol raim_connectionless. Fields have the
-- names of PROTOCOL.md. Encrypted payloads are not decrypted.
--
--   wireshark -X lua_script:proto/raim.lua arena.pcap
--   tshark -X lua_script:proto/raim.lua -r arena.pcap -Y raim.reason -T fields -e raim.reason
--
-- For ports other than 7246 set the preference raim_enet.ports or use "Decode As". The code uses neither
-- integers nor shifts, because Wireshark comes with Lua 5.2, where numbers are doubles, or 5.4.

local raim = Proto("raim", "raimd message")
local enet = Proto("raim_enet", "ENet 1.3")
local connectionless = Proto("raim_connectionless", "raimd without a connection")

local HELLO_MAGIC, VERSION = 0x4D494152, 7
-- By kind: name and channel (./dev bless).
local MESSAGES = {
    {"HELLO", 0},
    {"INPUT", 1},
    {"WELCOME", 0},
    {"OBSTACLES", 0},
    {"ROSTER", 0},
    {"EVENTS", 1},
    {"SNAPSHOT", 1},
    {"GOODBYE", 0},
    {"CHAT", 0},
    {"CHAT_REJECTED", 0},
    {"WATCH", 0},
    {"PINGS", 1},
    {"VOTE", 0},
    {"NOTICE", 0},
}
-- Messages of plain fields: each field's name, type and arguments (./dev bless).
local PLAIN = {
    goodbye = {{"reason", "U", 8, 0}, {"text", "TEXT", 120, 0}},
    client_goodbye = {{"reason", "U", 8, 0}, {"text", "TEXT", 120, 0}, {"token", "BYTES", 16, 0}},
    chat = {{"text", "TEXT", 120, 0}},
    chat_rejected = {{"chat_rejection", "U", 8, 0}},
    watch = {{"target", "PLAYER", 16, 0}},
    notice = {{"challenge", "BOOL", 1, 0}, {"text", "TEXT", 120, 0}},
}
local KINDS, CHANNELS = {[15] = "kind 15"}, {} -- 15: of later versions
for kind, message in ipairs(MESSAGES) do
    KINDS[kind], CHANNELS[message[1]] = message[1], message[2]
end
local EVENTS = {[0] = "joined", "left", "kill", "chat", "phase", "other"}
local CHAT_REJECTIONS = {"rate", "muted", "text", "length", "watching", "busy", "repeat", "command"}
local VOTE_KINDS = {"kick", "mute", "map", "nextmap", "restart", "extend", "spectate", "pause"}
local VOTE_ACTIONS = {[0] = "call", "cast", "withdraw"}
local VOTE_REPORTS = {[0] = "offer", "began", "tally", "ended", "rejected"}
local VOTE_CHOICES = {[0] = "silent", "yes", "no"}
local VOTE_OUTCOMES = {"passed", "failed", "withdrawn", "cancelled", "moot"}
local VOTE_REJECTIONS = {
    "disabled", "running", "too_soon", "newcomer", "no_player", "immune", "too_few", "no_map", "not_now",
    "watching", "none", "not_caller", "bad",
}
local PHASES = {[0] = "play", "break", "paused"}
local REASONS = {
    [0] = "none", "left", "lost", "shutdown", "version", "full", "name", "silent", "malformed",
    "resumed", "kicked", "draining", "banned", "restart", "access", "idle",
    "channels", "password",
}
local RULES = {
    [0] = "player_radius", "player_speed", "bullet_radius", "bullet_speed", "bullet_lifetime",
    "fire_cooldown", "respawn_delay", "spawn_protection", "pellets", "spread", "bounces", "health",
    "damage", "regeneration",
}
local WAYS = {[0] = "stands"}
for i = 0, 7 do WAYS[1 + i] = ("runs to %d degrees"):format(45 * i) end
for i = 0, 3 do WAYS[9 + i] = ("slides to %d degrees"):format(90 * i) end

local malformed = {} -- by protocol
for prefix, proto in pairs({raim = raim, raim_enet = enet, raim_connectionless = connectionless}) do
    malformed[proto] = ProtoExpert.new(prefix .. ".malformed", "Malformed",
        expert.group.MALFORMED, expert.severity.ERROR)
    proto.experts = {malformed[proto]}
end

local function reject(why) error({rejected = why}) end

-- Calls read(). A rejection of malformed bytes is shown in the tree; any other error is a bug of this file.
local function attempt(tree, proto, read)
    local ok, result = pcall(read)
    if ok then return result end
    if type(result) ~= "table" then error(result, 0) end
    tree:add_proto_expert_info(malformed[proto], result.rejected)
end

-- --- The arena's limits from WELCOME, which snapshots need ---

local conversations = {} -- by both addresses: arenas in the order of the frames of their WELCOMEs

function raim.init() conversations = {} end

local function conversation_of(pinfo)
    local source = tostring(pinfo.src) .. " " .. pinfo.src_port
    local target = tostring(pinfo.dst) .. " " .. pinfo.dst_port
    return source < target and source .. target or target .. source
end

local function arenas_of(pinfo)
    local key = conversation_of(pinfo)
    conversations[key] = conversations[key] or {}
    return conversations[key]
end

local function learn(pinfo, arena)
    local arenas = arenas_of(pinfo)
    local is_sent_again = arenas[1] and arenas[#arenas].bytes == arena.bytes
    if not pinfo.visited and not is_sent_again then table.insert(arenas, arena) end
end

-- Wireshark dissects frames repeatedly and in any order, so an arena applies from its frame on.
local function arena_at(pinfo)
    local arenas = arenas_of(pinfo)
    for i = #arenas, 1, -1 do
        if arenas[i].frame <= pinfo.number then return arenas[i] end
    end
end

-- --- Bits ---

-- A reader of a message's bits that adds fields to a tree.
local Reader = {}
Reader.__index = Reader

function Reader:reject(why) reject(self.reading .. " " .. why) end

-- Takes the next bits, at most 52, as a number.
function Reader:take(bits)
    if self.offset + bits > 8 * #self.bytes then self:reject("ends early") end
    local value, taken = 0, 0
    while taken < bits do
        local below = self.offset % 8
        local part = math.min(8 - below, bits - taken)
        local byte = self.bytes:byte((self.offset - below) / 8 + 1)
        value = value + math.floor(byte / 2 ^ below) % 2 ^ part * 2 ^ taken
        self.offset, taken = self.offset + part, taken + part
    end
    return value
end

local function bits_for(most)
    local bits = 0
    while 2 ^ bits <= most do bits = bits + 1 end
    return bits
end

local function take_signed(r, bits, least)
    local value = r:take(bits)
    if value >= 2 ^ (bits - 1) then value = value - 2 ^ bits end
    if least and value < least then r:reject("is below " .. least) end
    return value
end

local function take_ranged(r, least, most)
    local value = least + r:take(bits_for(most - least))
    if value > most then r:reject("is above " .. most) end
    return value
end

local function take_bytes(r, count)
    local bytes = {}
    for i = 1, count do bytes[i] = string.char(r:take(8)) end
    return table.concat(bytes)
end

-- Keeps UTF-8 (RFC 3629) and replaces malformed bytes and terminal control characters by "?".
local CHARACTERS = {
    "^[ -~]", "^\194[\160-\191]", "^[\195-\223]@", "^\224[\160-\191]@", "^[\225-\236\238\239]@@",
    "^\237[\128-\159]@", "^\240[\144-\191]@@", "^[\241-\243]@@@", "^\244[\128-\143]@@",
}
local function printable(bytes)
    local text, at = "", 1
    while at <= #bytes do
        local character
        for _, pattern in ipairs(CHARACTERS) do
            character = character or bytes:match(pattern:gsub("@", "[\128-\191]"), at)
        end
        text, at = text .. (character or "?"), at + #(character or "?")
    end
    return text
end

-- Field types: the name of the ProtoField constructor, and a function that reads the value and, optionally, a
-- remark.
local types = {
    u = {"uint32", Reader.take},
    s = {"int32", take_signed},
    ranged = {"uint32", take_ranged},
    axis = {"int32", function(r) return take_ranged(r, 0, 2) - 1 end},
    bool = {"bool", function(r) return r:take(1) == 1 end},
    coordinate = {"double", function(r) return take_signed(r, 20) / 32 end}, -- in units
    player = {"uint32", function(r)
        local id = r:take(16)
        return id, ("slot %d"):format(id % 1024)
    end},
    angle = {"uint32", function(r, bits)
        local value = r:take(bits)
        return value, ("%.1f degrees"):format(360 * value / 2 ^ bits)
    end},
    count = {"uint32", function(r, most)
        local value, group, below = 0, 1, 0
        while r:take(1) == 1 do
            group = r:take(3)
            value, below = value + group * 2 ^ below, below + 3
        end
        if group == 0 or value > most then r:reject("is no count, or above " .. most) end
        return value
    end},
    double = {"double", function(r)
        local value = Struct.unpack("<d", take_bytes(r, 8))
        if value - value ~= 0 then r:reject("is not finite") end
        return value
    end},
    text = {"string", function(r, most)
        local bytes = take_bytes(r, take_ranged(r, 0, most))
        if bytes:find("\0", 1, true) then r:reject("holds a NUL") end
        return printable(bytes)
    end},
    bytes = {"string", function(r, count)
        local bytes = take_bytes(r, count)
        return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
    end},
    -- A message begins with the bit 1 for SNAPSHOT, otherwise with 0 and four bits of its kind.
    kind = {"uint32", function(r)
        local kind = r:take(1) == 1 and 7 or r:take(4)
        if not KINDS[kind] or kind == 7 and r.offset % 8 ~= 1 then r:reject("is unknown") end
        return kind
    end},
    -- A tick of which only the lowest bits are sent: the nearest one to the newest received tick.
    near_tick = {"uint32", function(r, history, newest)
        local first = newest - history + 1
        local low = take_ranged(r, 0, 2 * history - 1)
        return (first + (low - first) % (2 * history)) % 2 ^ 32
    end},
}

-- Every field by its filter name without "raim.": its type with its arguments, and words for its values.
local fields, field_types, field_words = {}, {}, {}

local function field(names, name_of_type, arguments, ...)
    for name in names:gmatch("%S+") do
        local label = name:match("[^.]+$")
        fields[name] = ProtoField[types[name_of_type][1]]("raim." .. name, label, ...)
        field_types[name], field_words[name] = {name_of_type, table.unpack(arguments)}, select(2, ...) or {}
    end
end

field("kind", "kind", {}, base.DEC, KINDS)
field("tick welcome.event_sequence phase.end_tick", "u", {32})
field("capabilities", "u", {32}, base.HEX)
field("epoch", "u", {5})
field("sequence input.snapshot input.events version phase.round welcome.delay_ticks welcome.grace_s welcome.view_width welcome.view_height", "u", {16})
field("player victim hello.target phase.winner", "player", {})
field("reason", "u", {8}, base.DEC, REASONS)
field("chat_rejection", "u", {8}, base.DEC, CHAT_REJECTIONS)
field("event.type", "u", {8})
field("event.size", "ranged", {0, 120})
field("event.bytes", "bytes", {})
field("name", "text", {24})
field("text welcome.motd", "text", {120})
field("score deaths phase.score_limit", "count", {2 ^ 32 - 1})
field("self.timer", "count", {65535})
field("hello.magic", "u", {32}, base.HEX)
field([[bot event.by_operator hello.watch hello.resume phase.has_end welcome.sight input.has_snapshot input.same input.fire
    self.as_predicted self.steers self.alive snapshot.shield snapshot.fired]], "bool", {})
field("token", "bytes", {16})
field("hello.access", "bytes", {})
field("rewind welcome.max_rewind input.view_age", "u", {6})
field("welcome.tick_hz", "ranged", {10, 240})
field("welcome.max_players", "ranged", {1, 1024})
field("welcome.shots", "ranged", {1, 8192})
field("welcome.obstacle_count", "ranged", {0, 4096})
field("welcome.roster_count", "ranged", {0, 1024})
field([[welcome.min_x welcome.min_y welcome.max_x welcome.max_y obstacle.x obstacle.y snapshot.x
    snapshot.y]], "coordinate", {})
field("welcome.rule_count", "u", {5})
field("rule.unknown rule." .. RULES[0] .. " rule." .. table.concat(RULES, " rule."), "double", {})
field("welcome.arena welcome.map_name phase.next_map", "text", {31})
field("obstacle.corners", "ranged", {3, 16})
field("obstacle.seams", "u", {}, base.HEX)
field("event.kind", "ranged", {0, 5}, base.DEC, EVENTS)
field("phase.kind", "ranged", {0, 2}, base.DEC, PHASES)
field("input.count", "ranged", {1, 8})
field("pings.first", "u", {10})
field("pings.count", "ranged", {1, 32})
field("pings.ping", "u", {6})
field("vote.action", "u", {2}, base.DEC, VOTE_ACTIONS)
field("vote.report", "u", {3}, base.DEC, VOTE_REPORTS)
field("vote.kind", "u", {4}, base.DEC, VOTE_KINDS)
field("vote.kinds", "u", {16}, base.HEX)
field("vote.map_count", "ranged", {0, 33})
field("vote.player vote.caller", "player", {})
field("vote.minutes", "ranged", {1, 60})
field("vote.map", "text", {31})
field("vote.reason", "text", {32})
field("vote.caller_name vote.target_name", "text", {24})
field("vote.number", "u", {8})
field("vote.left_ms", "u", {20})
field("vote.yes vote.no vote.electors vote.needed", "u", {10})
field("vote.choice", "u", {2}, base.DEC, VOTE_CHOICES)
field("vote.outcome", "u", {3}, base.DEC, VOTE_OUTCOMES)
field("vote.rejection", "u", {5}, base.DEC, VOTE_REJECTIONS)
field("vote.amount", "u", {12})
field("event.count", "ranged", {1, 64})
field("input.move_x input.move_y", "axis", {})
field("input.aim snapshot.bullet_aim", "angle", {16})
field("hello.access_size self.shots self.hits snapshot.health", "u", {8})
field("self.margin", "s", {6, -31})
field("snapshot.baseline_age snapshot.slot snapshot.bullet snapshot.rewind self.slot",
    "ranged", {0})
field("snapshot.aim", "angle", {10})
field("snapshot.way", "ranged", {0, 12}, base.DEC, WAYS)
field("snapshot.life", "u", {3})
field("snapshot.age", "ranged", {1, 16})
field("unread_bits", "u", {})
-- Fields of the same name and type are one, such as raim.text.
for message, parts in pairs(PLAIN) do
    for _, part in ipairs(parts) do
        local own = ("%s.%s"):format(message, part[1])
        part[2] = part[2]:lower()
        part.field = field_types[part[1]] and field_types[part[1]][1] == part[2] and part[1] or own
        if part.field == own then field(own, part[2], {}) end
    end
end
raim.fields = fields

-- The bytes that hold the bits from `first` to the present position.
function Reader:range_from(first)
    local begin = math.floor(first / 8)
    return self.tvb(self.start + begin, math.ceil(self.offset / 8) - begin)
end

-- Reads and shows a field with a given type and arguments.
function Reader:read_as(name, name_of_type, ...)
    local first = self.offset
    self.reading = name
    local value, remark = types[name_of_type][2](self, ...)
    local item = self.tree:add(fields[name], self:range_from(first), value)
    if remark then item:append_text(" (" .. remark .. ")") end
    return value
end

-- Reads and shows fields in order and returns the last one's value.
function Reader:read(names)
    local value
    for name in names:gmatch("%S+") do
        value = self:read_as(name, table.unpack(field_types[name]))
    end
    return value
end

-- Reads a part into a subtree. The result of `read` is appended to the label.
function Reader:group(label, read, ...)
    local outer, first = self.tree, self.offset
    self.reading = label
    self.tree = outer:add(self.tvb(self.start + math.floor(first / 8)), label)
    self.tree:append_text(read(self, ...) or "")
    self.tree:set_len(self:range_from(first):len())
    self.tree = outer
end

-- Reads items, each preceded by a 1, up to a 0, and returns their count. `read` receives the item's index.
function Reader:each(label, read, least)
    local count = 0
    while self:take(1) == 1 do
        count = count + 1
        self:group(label, read, count)
    end
    if count < (least or 0) then self:reject("is followed by nothing") end
    return count
end

-- Takes the zero bits up to the end of a byte.
function Reader:pad()
    if self:take(-self.offset % 8) ~= 0 then self:reject("has no padding") end
end

function Reader:done()
    self.reading = "the message"
    local left = 8 * #self.bytes - self.offset
    if left >= 8 or self:take(left) ~= 0 then self:reject("goes on behind its end") end
end

-- Shows the number of unread bits.
function Reader:leave(why)
    local first, left = self.offset, 8 * #self.bytes - self.offset
    self.offset = self.offset + left
    self.tree:add(fields.unread_bits, self:range_from(first), left):append_text(" (" .. why .. ")")
end

-- --- Messages: each function returns the text for the packet list ---

local messages = {}

function messages.HELLO(r)
    if r:read("hello.magic") ~= HELLO_MAGIC then r:reject("is not RAIM") end
    if r:read("version") ~= VERSION then return r:leave("another version") end
    r:read("capabilities")
    if r:read("hello.watch") then r:read("hello.target") end
    if r:read("hello.resume") then r:read("token") end
    local size = r:read("hello.access_size")
    if size > 0 then r:read_as("hello.access", "bytes", size) end
    return r:read("name")
end

function messages.INPUT(r)
    local tick = r:read("tick")
    if r:read("input.has_snapshot") then r:read("input.snapshot") end
    r:read("input.events")
    for before = 0, r:read("input.count") - 1 do
        r:group("Input", function()
            if before == 0 or not r:read("input.same") then
                if r:read("input.move_x input.move_y input.fire") then r:read("input.view_age") end
                r:read("input.aim")
            end
            return (" for tick %d"):format((tick - before) % 2 ^ 32)
        end)
    end
    return tick
end

local function read_phase(r)
    local phase = r:read("phase.kind")
    r:read("phase.round")
    if r:read("phase.has_end") then r:read("phase.end_tick") end
    r:read("phase.score_limit")
    if phase == 1 then
        r:read("phase.winner")
        r:read("phase.next_map")
    end
    return " " .. PHASES[phase]
end

function messages.WELCOME(r)
    if r:read("version") ~= VERSION then return r:leave("another version") end
    local arena = {frame = r.pinfo.number, bytes = r.bytes, history = 16, tick_before = {}}
    local id = r:read("capabilities player")
    arena.newest_tick = r:read("welcome.delay_ticks token welcome.grace_s tick")
    r:read("welcome.event_sequence")
    arena.epoch = r:read("epoch")
    local tick_hz = r:read("welcome.tick_hz")
    arena.max_players = r:read("welcome.max_players")
    if id % 1024 >= arena.max_players then r:reject("leaves the player no slot") end
    arena.shots = r:read("welcome.shots")
    if arena.max_players * arena.shots > 8192 then r:reject("makes too many bullets") end
    arena.max_rewind = r:read("welcome.max_rewind")
    r:read("welcome.view_width welcome.view_height welcome.sight")
    r:read("welcome.obstacle_count welcome.roster_count")
    r:read("welcome.min_x welcome.min_y welcome.max_x welcome.max_y")
    for i = 0, r:read("welcome.rule_count") - 1 do
        local rule = RULES[i] or "unknown"
        local value = r:read("rule." .. rule)
        if rule == "health" then arena.has_health = value > 1 end
    end
    local map_name = r:read("welcome.arena welcome.map_name")
    r:group("Phase", read_phase)
    r:read("welcome.motd")
    while arena.history < tick_hz do arena.history = 2 * arena.history end
    learn(r.pinfo, arena)
    return map_name
end

function messages.OBSTACLES(r)
    return r:each("Obstacle", function()
        local corners = r:read("obstacle.corners")
        r:read_as("obstacle.seams", "u", corners)
        for _ = 1, corners do r:read("obstacle.x obstacle.y") end
    end, 1)
end

local function read_entry(r) return " " .. r:read("player bot score deaths name") end

function messages.ROSTER(r) return r:each("Entry", read_entry, 1) end

function messages.EVENTS(r)
    local sequence, count = r:read("epoch sequence"), r:read("event.count")
    r:pad()
    for index = 1, count do
        r:group("Event", function()
            local kind = r:read("event.kind")
            local name = kind == 0 and read_entry(r) or kind == 4 and read_phase(r) or ""
            if kind == 1 then r:read("player reason") end
            if kind == 2 then r:read("player victim score deaths rewind") end
            if kind == 3 then
                if not r:read("event.by_operator") then r:read("player") end
                r:read("text")
            end
            if kind == 5 then
                local size = r:read("event.type event.size")
                if size > 0 then r:read_as("event.bytes", "bytes", size) end
            end
            r:pad()
            return (" %d: %s%s"):format((sequence + index - 1) % 2 ^ 16, EVENTS[kind], name)
        end)
    end
    if r.offset == 8 * #r.bytes then return count end
    local kind
    r:group("Snapshot", function()
        kind = KINDS[r:read("kind")]
        if kind ~= "SNAPSHOT" then r:reject("is of another kind") end
        kind = kind .. " " .. (messages.SNAPSHOT(r) or "")
    end)
    return ("%d, %s"):format(count, kind)
end

-- Returns the slot of the player whose aim is not sent: the one that the receiver steers.
local function read_self(r, arena, has_baseline)
    local slot, steers
    -- With a baseline, a 1 means that the value follows from it.
    local function is_sent() return not has_baseline or r:take(1) == 0 end
    if has_baseline and r:read("self.as_predicted") then return nil end
    if is_sent() then
        slot = r:read_as("self.slot", "ranged", 0, arena.max_players - 1)
        steers = r:read("self.steers")
    end
    r:read("self.alive")
    for _, name in ipairs({"self.timer", "self.shots", "self.hits", "self.margin"}) do
        if is_sent() then r:read(name) end
    end
    return steers and slot
end

local function read_whole(r, arena, own)
    local seen, least = {}, 0
    local function read_slot(name, slots)
        local slot = r:read_as(name, "ranged", 0, slots - 1)
        if slot < least then r:reject("does not ascend") end
        least = slot + 1
        return slot
    end
    r:each("Player", function()
        local slot = read_slot("snapshot.slot", arena.max_players)
        r:read("snapshot.x snapshot.y")
        if slot ~= own then r:read("snapshot.aim") end
        r:read("snapshot.way snapshot.life snapshot.shield")
        if arena.has_health then r:read("snapshot.health") end
        seen[slot] = true
        return (" %d"):format(slot)
    end)
    least = 0
    r:each("Bullet", function()
        local slot = read_slot("snapshot.bullet", arena.max_players * arena.shots)
        local shooter = math.floor(slot / arena.shots)
        local is_fired = r:read("snapshot.bullet_aim snapshot.fired")
        if is_fired and not seen[shooter] then r:reject("by a player who is not visible") end
        r:read(is_fired and "snapshot.age" or "snapshot.x snapshot.y")
        if is_fired then r:read_as("snapshot.rewind", "ranged", 0, arena.max_rewind) end
        return (" %d of player %d"):format(slot, shooter)
    end)
end

function messages.SNAPSHOT(r)
    local arena, frame, own = arena_at(r.pinfo), r.pinfo.number, nil
    if not arena then return r:leave("only WELCOME, which the capture lacks, tells their form") end
    arena.tick_before[frame] = arena.tick_before[frame] or arena.newest_tick
    local age = r:read_as("snapshot.baseline_age", "ranged", 0, arena.history - 1)
    if age == 0 and r:read("epoch") ~= arena.epoch then return r:leave("of another WELCOME") end
    local tick = age == 0 and r:read("tick")
        or r:read_as("tick", "near_tick", arena.history, arena.tick_before[frame])
    r:group("Self", function() own = read_self(r, arena, age > 0) end)
    if age > 0 then r:leave("changes since the baseline") else read_whole(r, arena, own) end
    if (tick - arena.newest_tick) % 2 ^ 32 < 2 ^ 31 then arena.newest_tick = tick end
    return age == 0 and tick or ("%d from %d"):format(tick, (tick - age) % 2 ^ 32)
end

-- Reads a message of plain fields. In the packet list are the names of what is true, and the other values
-- but bytes.
local function read_plain(r, parts)
    local words = {}
    for _, part in ipairs(parts) do
        local value = r:read_as(part.field, table.unpack(part, 2))
        if value == true then value = part[1] end
        value = field_words[part.field][value] or type(value) == "number" and ("%d"):format(value) or value
        if value and value ~= "" and part[2] ~= "bytes" then table.insert(words, value) end
    end
    return table.concat(words, " ")
end

function messages.PINGS(r)
    local first, count = r:read("epoch pings.first"), r:read("pings.count")
    for _ = 1, count do r:read("pings.ping") end
    return ("%d to %d"):format(first, first + count - 1)
end

local ABOUT_PLAYER = {kick = true, mute = true, spectate = true}

local function read_vote_subject(r)
    local kind = VOTE_KINDS[r:read("vote.kind")]
    if not kind then r:reject("is no vote") end
    if ABOUT_PLAYER[kind] then r:read("vote.player") end
    if kind == "extend" then r:read("vote.minutes") end
    if kind == "map" then r:read("vote.map") end
    r:read("vote.reason")
    return kind
end

local vote_reports = {}

function vote_reports.offer(r)
    r:read("vote.kinds")
    for _ = 1, r:read("vote.map_count") do r:read("vote.map") end
end

function vote_reports.began(r)
    r:read("vote.number")
    local kind = read_vote_subject(r)
    r:read("vote.caller vote.caller_name")
    if ABOUT_PLAYER[kind] then r:read("vote.target_name") end
    r:read("vote.left_ms")
    return kind
end

function vote_reports.tally(r)
    r:read("vote.number vote.yes vote.no vote.electors vote.needed vote.choice")
end

function vote_reports.ended(r)
    return VOTE_OUTCOMES[r:read("vote.number vote.yes vote.no vote.electors vote.needed vote.outcome")]
end

function vote_reports.rejected(r)
    local rejection = r:read("vote.rejection")
    r:read("vote.amount")
    return VOTE_REJECTIONS[rejection]
end

function messages.VOTE(r)
    if r.pinfo.dst_port ~= r.pinfo.match_uint then -- a server's
        local report = VOTE_REPORTS[r:read("vote.report")]
        if not report then r:reject("is no report of a vote") end
        local word = vote_reports[report](r)
        return report .. (word and " " .. word or "")
    end
    local action = VOTE_ACTIONS[r:read("vote.action")]
    if not action then r:reject("is no request for a vote") end
    if action == "call" then return "call " .. read_vote_subject(r) end
    r:read("vote.number")
    if action == "cast" then return VOTE_CHOICES[r:read("vote.choice")] end
    return action
end

-- Shows the message in `length` bytes from `start` on and returns a short description.
local function show_message(tvb, start, length, pinfo, root, channel)
    local range = tvb(start, length)
    local tree = root:add(raim, range)
    local r = setmetatable({
        tvb = tvb, start = start, bytes = length > 0 and range:raw() or "", offset = 0,
        tree = tree, pinfo = pinfo,
    }, Reader)
    return attempt(tree, raim, function()
        local kind = KINDS[r:read("kind")]
        tree:append_text(": " .. kind)
        local from_client = pinfo.dst_port == pinfo.match_uint
        local plain = from_client and PLAIN["client_" .. kind:lower()] or PLAIN[kind:lower()]
        if not plain and not messages[kind] then
            r:leave("a later version")
            return kind
        end
        if channel ~= CHANNELS[kind] then r:reject("is on the wrong channel") end
        local words = plain and read_plain(r, plain) or messages[kind](r)
        r:done()
        if type(words) == "number" then words = ("%d"):format(words) end
        return kind .. (words and " " .. words or "")
    end) or "malformed message"
end

-- --- ENet, see its protocol.h ---

local THROTTLE = " throttle_interval:4 throttle_acceleration:4 throttle_deceleration:4"
local BANDWIDTH = " incoming_bandwidth:4 outgoing_bandwidth:4"
local SESSION = " outgoing_peer:2 incoming_session:1 outgoing_session:1 mtu:4 window_size:4"
    .. " channel_count:4" .. BANDWIDTH .. THROTTLE .. " connect_id:4"
local FRAGMENT = " start_sequence:2 data_length:2 fragment_count:4 fragment:4 total_length:4"
    .. " offset:4"
local COMMANDS, bodies, enet_fields = {}, {}, {}

local function enet_field(name, kind, ...)
    enet_fields[name] = ProtoField[kind]("raim_enet." .. name, name, ...)
end

for code, text in ipairs({ -- a command, and the fields behind its first byte with their sizes
    "ACKNOWLEDGE received_sequence:2 received_sent_time:2",
    "CONNECT" .. SESSION .. " data:4",
    "VERIFY_CONNECT" .. SESSION,
    "DISCONNECT data:4",
    "PING",
    "SEND_RELIABLE data_length:2",
    "SEND_UNRELIABLE unreliable_sequence:2 data_length:2",
    "SEND_FRAGMENT" .. FRAGMENT,
    "SEND_UNSEQUENCED unsequenced_group:2 data_length:2",
    "BANDWIDTH_LIMIT" .. BANDWIDTH,
    "THROTTLE_CONFIGURE" .. THROTTLE,
    "SEND_UNRELIABLE_FRAGMENT" .. FRAGMENT,
}) do
    COMMANDS[code], bodies[code] = text:match("%S+"), {}
    for name, size in text:gsub("%S+", "channel:1 sequence:2", 1):gmatch("(%S+):(%d)") do
        table.insert(bodies[code], {name = name, size = tonumber(size)})
        if not enet_fields[name] then enet_field(name, "uint" .. 8 * tonumber(size)) end
    end
end

enet_field("has_sent_time", "bool", 16, nil, 0x8000)
enet_field("compressed", "bool", 16, nil, 0x4000)
enet_field("session", "uint16", base.DEC, nil, 0x3000)
enet_field("peer", "uint16", base.DEC, nil, 0x0FFF)
enet_field("sent_time", "uint16")
enet_field("acknowledge", "bool", 8, nil, 0x80)
enet_field("unsequenced", "bool", 8, nil, 0x40)
enet_field("command", "uint8", base.DEC, COMMANDS, 0x0F)
enet_field("payload", "bytes")
enet.fields = enet_fields

local function show_parts(tree, range, names)
    for name in names:gmatch("%S+") do tree:add(enet_fields[name], range) end
    return range:uint()
end

-- Shows the command at d.offset and returns a short description of it or of the message in it.
local function show_command(d, tree, root)
    local first, values = d.offset, {}
    local code = show_parts(tree, d:take(1, "command"), "acknowledge unsequenced command") % 16
    if not bodies[code] then reject("there is no command " .. code) end
    tree:set_text(COMMANDS[code])
    for _, part in ipairs(bodies[code]) do
        local range = d:take(part.size, part.name)
        local item, value = tree:add(enet_fields[part.name], range), range:uint()
        if part.name == "data" then item:append_text((" (%s)"):format(REASONS[value] or "?")) end
        values[part.name] = value
    end
    local start, length = d.offset, values.data_length or 0
    if length > 0 then tree:add(enet_fields.payload, d:take(length, "payload")) end
    tree:set_len(d.offset - first)
    if not values.data_length or values.fragment then return COMMANDS[code] end
    return show_message(d.tvb, start, length, d.pinfo, root, values.channel)
end

-- The datagram being dissected.
local Datagram = {}
Datagram.__index = Datagram

function Datagram:take(size, name)
    if size > self.tvb:len() - self.offset then
        local is_cut = self.tvb:len() < self.tvb:reported_len()
        reject(name .. (is_cut and " is cut off in the capture" or " ends early"))
    end
    self.offset = self.offset + size
    return self.tvb(self.offset - size, size)
end

local function show_enet(d, tree, root)
    local words = {}
    local flags = show_parts(tree, d:take(2, "peer"), "has_sent_time compressed session peer")
    if flags >= 0x8000 then show_parts(tree, d:take(2, "sent_time"), "sent_time") end
    if flags % 0x8000 >= 0x4000 then reject("compressed, which raimd's never are") end
    while d.offset < d.tvb:len() do
        words[#words + 1] = show_command(d, tree:add(d.tvb(d.offset), "Command"), root)
    end
    return table.concat(words, ", ")
end

-- --- Connectionless and encrypted datagrams ---

local CONNECTIONLESS_HEAD = "\255\255\255\255RAIM"
local CONNECTIONLESS_KINDS = {"CONNECT_REQUEST", "COOKIE", "INVITE", "HANDSHAKE", "REJECTED", "ANNOUNCEMENT"}
local CREDENTIALS = {[0] = "none", "access token", "session token", "password"}
local connectionless_fields = {}

for name, kind in pairs({
    form = "uint8", zeros = "bytes", server_key = "bytes", salt = "bytes", nonce = "bytes",
    proof = "bytes", credential = "bytes", arena = "string", ephemeral = "bytes",
    payload = "bytes", header = "uint64", encrypted = "bytes", tag = "bytes", reason = "uint8",
    text = "string", time = "uint64", gateway = "ipv6", gateway_port = "uint16", player = "ipv6",
    player_port = "uint16",
}) do
    connectionless_fields[name] = ProtoField[kind]("raim_connectionless." .. name, name)
end
connectionless_fields.kind = ProtoField.uint8("raim_connectionless.kind", "kind", base.DEC, CONNECTIONLESS_KINDS)
connectionless_fields.credential_kind = ProtoField.uint8("raim_connectionless.credential_kind", "credential_kind",
                                                base.DEC, CREDENTIALS)
connectionless_fields.cookie = ProtoField.uint32("raim_connectionless.cookie", "cookie", base.DEC, nil, 0x7FFFFFFF)
connectionless_fields.aesgcm = ProtoField.bool("raim_connectionless.aesgcm", "aesgcm", 32, nil, 0x80000000)
local FLAGS = {"needs_admission", "offers_encryption", "requires_encryption", "admitted", "needs_password",
               "offers_aesgcm"}
for index, name in ipairs(FLAGS) do
    connectionless_fields[name] = ProtoField.bool("raim_connectionless." .. name, name, 8, nil, 2 ^ (index - 1))
end
connectionless.fields = connectionless_fields

local function show_connectionless_parts(d, tree, parts)
    for name, size in parts:gmatch("(%S+):(%d+)") do
        if size ~= "0" then
            local range = d:take(tonumber(size), name)
            if name == "cookie" or name == "time" or name:find("_port") then tree:add_le(connectionless_fields[name], range)
            else tree:add(connectionless_fields[name], range) end
        end
    end
end

local function show_encrypted(d, tree)
    show_connectionless_parts(d, tree, "header:8")
    local size = d.tvb:len() - d.offset - 16
    if size < 1 then reject("encrypted ends early") end
    show_connectionless_parts(d, tree, ("encrypted:%d tag:16"):format(size))
    return ("%d encrypted bytes"):format(size)
end

local connectionless_messages = {} -- each shows its datagram, and may answer some words

function connectionless_messages.CONNECT_REQUEST(d, tree)
    if d.tvb:len() < 512 then reject("is below 512 bytes") end
    show_connectionless_parts(d, tree, "cookie:4")
    local kind, size = d:take(1, "credential_kind"), d:take(1, "credential_size"):uint()
    tree:add(connectionless_fields.credential_kind, kind)
    if not CREDENTIALS[kind:uint()] then reject("there is no credential " .. kind:uint()) end
    show_connectionless_parts(d, tree, ("credential:%d"):format(size))
    local zeros = d.tvb:len() - d.offset
    if d.tvb(d.offset):raw():find("[^%z]") then reject("has more than zeros") end
    show_connectionless_parts(d, tree, ("zeros:%d"):format(zeros))
    return size > 0 and CREDENTIALS[kind:uint()] or nil
end

function connectionless_messages.COOKIE(d, tree)
    local flags = d:take(1, "flags")
    for _, name in ipairs(FLAGS) do tree:add(connectionless_fields[name], flags) end
    show_connectionless_parts(d, tree, "cookie:4")
    show_connectionless_parts(d, tree, ("arena:%d"):format(d:take(1, "arena_size"):uint()))
    if flags:uint() % 4 >= 2 then show_connectionless_parts(d, tree, "server_key:32") end
    if flags:uint() % 32 >= 16 then show_connectionless_parts(d, tree, "salt:16") end
end

function connectionless_messages.INVITE(d, tree) show_connectionless_parts(d, tree, "nonce:8 proof:8") end

-- INIT or RESPONSE: a Noise message, in INIT after the client's cookie and cipher.
function connectionless_messages.HANDSHAKE(d, tree)
    local is_init = d.pinfo.dst_port == d.pinfo.match_uint
    if is_init then
        local cookie = d:take(4, "cookie")
        for _, name in ipairs({"cookie", "aesgcm"}) do tree:add_le(connectionless_fields[name], cookie) end
    end
    show_connectionless_parts(d, tree, "ephemeral:32")
    local size = d.tvb:len() - d.offset - 16
    if size < (is_init and 2 or 1) then reject("handshake ends early") end
    show_connectionless_parts(d, tree, ("payload:%d tag:16"):format(size))
    return is_init and "INIT" or "RESPONSE"
end

function connectionless_messages.REJECTED(d, tree)
    show_connectionless_parts(d, tree, "reason:1")
    show_connectionless_parts(d, tree, ("text:%d"):format(d.tvb:len() - d.offset))
end

-- IPv4 addresses are IPv4-mapped.
function connectionless_messages.ANNOUNCEMENT(d, tree)
    show_connectionless_parts(d, tree, "time:8 gateway:16 gateway_port:2 player:16 player_port:2 tag:16")
end

local function show_connectionless(d, tree)
    d:take(8, "head")
    local kind = d:take(1, "kind")
    tree:add(connectionless_fields.kind, kind)
    local name = CONNECTIONLESS_KINDS[kind:uint()] or reject("there is no kind " .. kind:uint())
    local form = d:take(1, "form")
    tree:add(connectionless_fields.form, form)
    if form:uint() ~= 2 then reject("has form " .. form:uint()) end
    local words = connectionless_messages[name](d, tree)
    if d.offset < d.tvb:len() then reject(name .. " goes on behind its end") end
    return name .. (words and ", " .. words or "")
end

-- --- Any datagram ---

function enet.dissector(tvb, pinfo, root)
    if tvb:len() < 2 then return 0 end
    local is_connectionless = tvb:len() >= 10 and tvb(0, 8):raw() == CONNECTIONLESS_HEAD
    -- Two bytes of 0xFF mark all datagrams that are not ENet's.
    if not is_connectionless and tvb(0, 2):uint() == 0xFFFF then return 0 end
    -- ENet's datagrams with these bits would be compressed; raimd never compresses.
    local is_encrypted = not is_connectionless and math.floor(tvb(0, 1):uint() / 64) == 1
    local proto = (is_connectionless or is_encrypted) and connectionless or enet
    local show = is_connectionless and show_connectionless or is_encrypted and show_encrypted or show_enet
    local d = setmetatable({tvb = tvb, pinfo = pinfo, offset = 0}, Datagram)
    local tree = root:add(proto, tvb())
    local words = attempt(tree, proto, function() return show(d, tree, root) end)
    pinfo.cols.protocol = "raim"
    pinfo.cols.info = words or "malformed datagram"
    return tvb:len()
end

-- --- Registration ---

local udp_ports, ports = DissectorTable.get("udp.port"), "7246"
enet.prefs.ports = Pref.range("UDP ports", ports, "of arenas, such as 7246-7250", 65535)
udp_ports:add(ports, enet)
udp_ports:add_for_decode_as(enet)

function enet.prefs_changed()
    if ports ~= "" then udp_ports:remove(ports, enet) end
    ports = enet.prefs.ports
    if ports ~= "" then udp_ports:add(ports, enet) end
end
