-- Wireshark and tshark: the bursts of Weft's CLAN NIC (docs/internals/decisions/0006). They travel as RoCEv2 packets whose BTH opcode is one of those that the
-- InfiniBand specification leaves to manufacturers; everything else on that UDP port goes on to Wireshark's own dissector.
--
--   tshark -X lua_script:tripwire-actors/wireshark/clan.lua -r FILE -Y clan
--
-- In Wireshark: copy this file to the personal Lua plugins folder (Help, About, Folders).

local bits = bit32 or bit -- The first is Lua's of Wireshark 4.2 and before.
local UDP_PORT = 4791
local BTH, BURST, ICRC = 12, 20, 4

local opcodes = {
  [0xc0] = "WRITE", [0xc1] = "READ", [0xc2] = "READ_DATA", [0xc3] = "MESSAGE", [0xc4] = "REFUSED", [0xc5] = "OPEN"
}
local kinds = { [0] = "write", [1] = "read", [2] = "message", [3] = "answer", [4] = "group" }
local statuses = {
  [0] = "OK", [1] = "INVALID", [2] = "EXHAUSTED", [3] = "REVOKED", [4] = "DENIED", [5] = "OUT_OF_RANGE", [6] = "BUSY",
  [7] = "NO_ENDPOINT", [8] = "BROKEN", [9] = "TIMED_OUT", [10] = "PEER_LOST", [11] = "UNRESPONSIVE"
}

local clan = Proto("clan", "Weft CLAN burst")
local f = {
  opcode = ProtoField.uint8("clan.opcode", "Opcode", base.HEX, opcodes),
  more = ProtoField.bool("clan.more", "The access goes on in the next burst", 8, nil, 0x80),
  pad = ProtoField.uint8("clan.padcnt", "Pad bytes", base.DEC, nil, 0x30),
  port = ProtoField.uint24("clan.port", "Port"),
  ask = ProtoField.bool("clan.ask", "Asks for an answer", 8, nil, 0x80),
  parity = ProtoField.uint24("clan.parity", "Parity of 24 columns", base.HEX),
  parity_ok = ProtoField.bool("clan.parity.good", "Parity is right"),
  address = ProtoField.uint64("clan.address", "Network address", base.HEX),
  number = ProtoField.uint24("clan.address.number", "Aperture"),
  offset = ProtoField.uint64("clan.address.offset", "Offset"),
  tag = ProtoField.uint32("clan.read.tag", "Tag of the read", base.HEX),
  sent = ProtoField.uint32("clan.read.sent", "Bytes of it before these"),
  wanted = ProtoField.uint32("clan.read.length", "Bytes that are asked for"),
  from_port = ProtoField.uint64("clan.message.from", "From port"),
  key = ProtoField.uint64("clan.key", "Key", base.HEX),
  position = ProtoField.uint32("clan.position", "Position in the flow"),
  opened = ProtoField.uint32("clan.open.start", "The flow started at"),
  now = ProtoField.uint64("clan.open.position", "The flow is at"),
  kind = ProtoField.uint16("clan.refused.kind", "What is refused", base.DEC, kinds),
  status = ProtoField.uint8("clan.refused.status", "Status", base.DEC, statuses),
  length = ProtoField.uint32("clan.length", "Bytes"),
  data = ProtoField.bytes("clan.data", "Data"),
  icrc = ProtoField.uint32("clan.icrc", "Invariant CRC", base.HEX)
}
clan.fields = f

local bad_parity = ProtoExpert.new("clan.parity.bad", "The parity is wrong", expert.group.CHECKSUM, expert.severity.ERROR)
local cut = ProtoExpert.new("clan.cut", "Shorter than its headers", expert.group.MALFORMED, expert.severity.ERROR)
clan.experts = { bad_parity, cut }

-- One bit for each of 24 columns of the words from the burst header to the last pad byte.
local function parity_of(tvb, from, to)
  local columns = 0
  for at = from, to - 4, 4 do columns = bits.bxor(columns, tvb(at, 4):uint()) end
  return bits.band(bits.bxor(columns, bits.rshift(columns, 24)), 0xffffff)
end

local function add_address(tree, tvb)
  local address = tree:add(f.address, tvb(BTH, 8))
  address:add(f.number, tvb(BTH, 3))
  address:add(f.offset, tvb(BTH + 3, 5), tvb(BTH + 3, 5):uint64())
  return "aperture " .. tvb(BTH, 3):uint() .. " offset " .. tostring(tvb(BTH + 3, 5):uint64())
end

local function dissect(tvb, pinfo, root)
  local opcode = tvb(0, 1):uint()
  local name = opcodes[opcode]
  local tree = root:add(clan, tvb(), "CLAN " .. name)
  pinfo.cols.protocol = "CLAN"
  if tvb:len() < BTH + BURST + ICRC then
    tree:add_proto_expert_info(cut)
    return
  end
  local pad = bits.band(bits.rshift(tvb(1, 1):uint(), 4), 3)
  local length = tvb:len() - BTH - BURST - ICRC - pad
  tree:add(f.opcode, tvb(0, 1))
  tree:add(f.more, tvb(1, 1))
  tree:add(f.pad, tvb(1, 1))
  local port = tvb(5, 3):uint()
  tree:add(f.port, tvb(5, 3))
  tree:add(f.ask, tvb(8, 1))
  local parity = tree:add(f.parity, tvb(9, 3))
  local good = parity_of(tvb, BTH, tvb:len() - ICRC) == tvb(9, 3):uint()
  tree:add(f.parity_ok, tvb(9, 3), good):set_generated()
  if not good then parity:add_proto_expert_info(bad_parity) end

  local info
  if opcode == 0xc2 then
    tree:add(f.tag, tvb(BTH, 4))
    tree:add(f.sent, tvb(BTH + 4, 4))
    info = string.format("tag 0x%x after %u", tvb(BTH, 4):uint(), tvb(BTH + 4, 4):uint())
  elseif opcode == 0xc3 then
    tree:add(f.from_port, tvb(BTH, 8))
    info = "from port " .. tostring(tvb(BTH, 8):uint64()) .. " to " .. port
  elseif opcode == 0xc4 then
    local kind, status = bits.rshift(port, 8), bits.band(port, 0xff)
    tree:add(f.kind, tvb(5, 2))
    tree:add(f.status, tvb(7, 1))
    tree:add(f.address, tvb(BTH, 8))
    info = (kinds[kind] or "kind " .. kind) .. " " .. (statuses[status] or status)
  elseif opcode == 0xc5 then
    tree:add(f.now, tvb(BTH, 8))
    info = "started at " .. tvb(BTH + 16, 4):uint() .. ", is at " .. tostring(tvb(BTH, 8):uint64())
  else
    info = add_address(tree, tvb)
  end
  tree:add(f.key, tvb(BTH + 8, 8))
  tree:add(opcode == 0xc5 and f.opened or f.position, tvb(BTH + 16, 4))
  tree:add(f.length, length):set_generated()
  if length > 0 then
    tree:add(f.data, tvb(BTH + BURST, length))
    if opcode == 0xc1 and length == 8 then
      tree:add(f.wanted, tvb(BTH + BURST, 4))
      tree:add(f.tag, tvb(BTH + BURST + 4, 4))
      info = info .. string.format(", %u bytes, tag 0x%x", tvb(BTH + BURST, 4):uint(), tvb(BTH + BURST + 4, 4):uint())
    else
      info = info .. ", " .. length .. " bytes"
    end
  end
  tree:add(f.icrc, tvb(tvb:len() - ICRC, ICRC))
  pinfo.cols.info = "CLAN " .. name .. " " .. info
end

local ports = DissectorTable.get("udp.port")
local roce = ports:get_dissector(UDP_PORT)

function clan.dissector(tvb, pinfo, root)
  if tvb:len() >= 1 and opcodes[tvb(0, 1):uint()] then
    dissect(tvb, pinfo, root)
  elseif roce then
    roce:call(tvb, pinfo, root)
  end
end

ports:add(UDP_PORT, clan)
