package dev.weft.fabric.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.RandomPackets;
import dev.weft.fabric.packet.RoceV2;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Captures as tshark decodes them. tshark 4.0 shows the ICRC but does not verify it; that the values are right is shown
 * by IcrcTest, on packets captured from real NICs.
 */
@Tag("client")
class TsharkTest {
  private static final Pattern OPCODE = Pattern.compile("Opcode: [A-Za-z ]+\\((RC|UC|UD)\\) - (.*) \\(\\d+\\)$");
  private static final int[] LENGTHS = {1, 4, 8, 1023, 4096};
  private static final long BEGIN_NS = 1_700_000_000_123_456_789L;
  private static final CaptureSettings SETTINGS = new CaptureSettings(CaptureSettings.MIN_BUFFER_BYTES, 10 << 20, CaptureSettings.MIN_QUEUE_BYTES);

  @TempDir
  private Path dir;

  private final RandomPackets packets = new RandomPackets(RandomPackets.seeded("TsharkTest"));

  @BeforeEach
  void needTshark() {
    Tshark.assumeInstalled();
  }

  @Test
  void shouldBeDecodedAsRoceWithEveryFieldOfEveryOpcode() throws IOException, InterruptedException {
    List<Packet> sent = new ArrayList<>();
    for (int opcode : knownToTshark()) {
      for (int payloadLength : LENGTHS) {
        if (!Opcode.hasBurst(opcode)) {
          sent.add(packets.next(opcode, payloadLength));
        }
      }
    }
    Path file = capture(sent);
    List<String> lines = Tshark.fields(file, dir, List.of("frame.time_epoch", "eth.src", "eth.dst", "ip.src", "ip.dst",
        "ip.checksum.status", "udp.srcport", "udp.dstport", "infiniband.bth.opcode", "infiniband.bth.se",
        "infiniband.bth.a", "infiniband.bth.padcnt", "infiniband.bth.p_key", "infiniband.bth.destqp",
        "infiniband.bth.psn", "infiniband.reth.va", "infiniband.reth.r_key", "infiniband.reth.dmalen",
        "infiniband.aeth.syndrome", "infiniband.aeth.msn", "infiniband.immdt", "infiniband.ieth", "infiniband.atomiceth.swapdt",
        "infiniband.atomiceth.cmpdt", "infiniband.atomicacketh.origremdt", "infiniband.deth.q_key", "infiniband.deth.srcqp",
        "data.data",
        "infiniband.invariant.crc"));
    assertEquals(sent.size(), lines.size());
    for (int i = 0; i < sent.size(); i++) {
      assertEquals(expected(i, sent.get(i)), lines.get(i), "frame " + (i + 1) + ", " + sent.get(i));
    }
    assertClean(file);
    assertOpcodeNames(file, sent);
  }

  /** All but those of annex A19, of which tshark 4.0 shows the BTH only. */
  private static int[] knownToTshark() {
    return IntStream.of(RandomPackets.OPCODES).filter(op -> op != Opcode.RC_FLUSH && op != Opcode.RC_ATOMIC_WRITE).toArray();
  }

  @Test
  void shouldShowTheTransportHeaderOfFlushAndAtomicWrite() throws IOException, InterruptedException {
    List<Packet> sent = List.of(packets.next(Opcode.RC_FLUSH, 0), packets.next(Opcode.RC_ATOMIC_WRITE, 8));
    Path file = capture(sent);
    List<String> want = sent.stream().map(p -> p.opcode() + "\t" + hex(p.destQp(), 6) + "\t" + p.psn()).toList();
    assertEquals(want, Tshark.fields(file, dir, List.of("infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn")));
  }

  /** What follows the BTH is the manufacturer's own; the tool does not know it. */
  @Test
  void shouldDecodeTheBthOfBursts() throws IOException, InterruptedException {
    List<Packet> sent = new ArrayList<>();
    for (int opcode = Opcode.CLAN_WRITE; opcode <= Opcode.CLAN_OPEN; opcode++) {
      sent.add(packets.next(opcode, 40));
    }
    List<String> lines = Tshark.fields(capture(sent), dir, List.of("infiniband.bth.opcode", "infiniband.bth.a",
        "infiniband.bth.padcnt", "infiniband.bth.p_key", "infiniband.bth.destqp"));
    List<String> want = sent.stream().map(p -> String.join("\t", "" + p.opcode(), p.ackReq() ? "1" : "0", "0", "" + p.pkey(),
        hex(p.destQp(), 6))).toList();
    assertEquals(want, lines);
  }

  private static final Path CLAN = Path.of(System.getProperty("weft.root"), "tripwire-actors", "wireshark", "clan.lua");

  private List<String> clan(Path file, String... fields) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("-X", "lua_script:" + CLAN, "-T", "fields", "-E", "occurrence=f"));
    for (String field : fields) {
      arguments.addAll(List.of("-e", field));
    }
    return Tshark.run(file, dir, arguments);
  }

  /** With the dissector that ships every field of every burst is shown; other packets are shown as without it. */
  @Test
  void shouldDecodeBurstsWithTheDissectorThatShips() throws IOException, InterruptedException {
    List<Packet> sent = new ArrayList<>();
    for (int opcode = Opcode.CLAN_WRITE; opcode <= Opcode.CLAN_OPEN; opcode++) {
      for (int length : new int[] {0, 1, 40, 1023}) {
        sent.add(packets.next(opcode, length));
      }
    }
    sent.add(packets.next(Opcode.RC_RDMA_WRITE_ONLY, 40));
    Path file = capture(sent);
    List<String> lines = clan(file, "clan.opcode", "clan.more", "clan.ask", "clan.port", "clan.key", "clan.length", "clan.data",
        "clan.parity.good", "infiniband.bth.opcode");
    List<String> want = sent.stream().map(p -> Opcode.hasBurst(p.opcode())
        ? String.join("\t", "0x" + Integer.toHexString(p.opcode()), flag(p.solicited()), flag(p.ackReq()), "" + p.destQp(),
            String.format(Locale.ROOT, "0x%016x", p.compare()), "" + p.payload().length(), data(p), flag(true), "")
        : "\t".repeat(8) + p.opcode()).toList();
    assertEquals(want, lines);
    List<String> places = clan(file, "clan.address.number", "clan.address.offset", "clan.read.tag", "clan.read.sent", "clan.message.from",
        "clan.refused.status", "clan.open.position", "clan.position", "clan.open.start", "_ws.malformed");
    for (int i = 0; i < sent.size(); i++) {
      assertEquals(place(sent.get(i)), places.get(i), sent.get(i).toString());
    }
  }

  private static String flag(boolean value) {
    return value ? "1" : "0";
  }

  private static String data(Packet packet) {
    byte[] bytes = new byte[packet.payload().length()];
    packet.payload().copyTo(java.lang.foreign.MemorySegment.ofArray(bytes), 0, new dev.weft.fabric.packet.CopyCounter());
    return HexFormat.of().formatHex(bytes);
  }

  /** What the address, and the position, of a burst mean. */
  private static String place(Packet p) {
    String position = Integer.toUnsignedString(p.immediate());
    String whole = Long.toUnsignedString(p.va());
    return switch (p.opcode()) {
      case Opcode.CLAN_WRITE, Opcode.CLAN_READ -> (p.va() >>> 40) + "\t" + (p.va() & (1L << 40) - 1) + "\t\t\t\t\t\t" + position + "\t\t";
      case Opcode.CLAN_READ_DATA -> "\t\t0x" + String.format(Locale.ROOT, "%08x", p.va() >>> 32) + "\t" + (p.va() & 0xffff_ffffL) + "\t\t\t\t"
          + position + "\t\t";
      case Opcode.CLAN_MESSAGE -> "\t\t\t\t" + whole + "\t\t\t" + position + "\t\t";
      case Opcode.CLAN_REFUSED -> "\t\t\t\t\t" + (p.destQp() & 0xff) + "\t\t" + position + "\t\t";
      case Opcode.CLAN_OPEN -> "\t\t\t\t\t\t" + whole + "\t\t" + position + "\t";
      default -> "\t".repeat(9);
    };
  }

  /** A burst of which a bit was flipped on the way, and one that was cut short. */
  @Test
  void shouldSayThatParityIsWrong() throws IOException, InterruptedException {
    Path file = capture(List.of(packets.next(Opcode.CLAN_WRITE, 40)));
    byte[] bytes = Files.readAllBytes(file);
    int at = indexOf(bytes, HexFormat.of().parseHex(Tshark.fields(file, dir, List.of("udp.payload")).getFirst()));
    bytes[at + 34] ^= 1;
    Files.write(file, bytes);
    assertEquals(List.of("0\tThe parity is wrong"), clan(file, "clan.parity.good", "_ws.expert.message"));
  }

  private static int indexOf(byte[] all, byte[] part) {
    for (int at = 0; at + part.length <= all.length; at++) {
      if (java.util.Arrays.equals(all, at, at + part.length, part, 0, part.length)) {
        return at;
      }
    }
    throw new AssertionError("the packet is not in the file");
  }

  private Path capture(List<Packet> sent) throws IOException {
    Path file = dir.resolve("all.pcapng");
    try (PcapngWriter writer = PcapngWriter.create(file, SETTINGS, BEGIN_NS)) {
      for (int i = 0; i < sent.size(); i++) {
        writer.onPacket(i, sent.get(i));
      }
    }
    return file;
  }

  private void assertClean(Path file) throws IOException, InterruptedException {
    assertEquals(List.of(), Tshark.run(file, dir, List.of("-Y", "_ws.malformed || _ws.expert || !infiniband")));
  }

  private static String expected(int i, Packet p) {
    int op = p.opcode();
    boolean atomic = Opcode.hasAtomicEth(op);
    boolean reth = Opcode.hasReth(op);
    boolean addressed = reth || atomic;
    boolean aeth = Opcode.hasAeth(op);
    byte[] payload = RandomPackets.bytes(p.payload());
    return String.join("\t",
        "1700000000." + (BEGIN_NS + i) % 1_000_000_000, mac(p.srcLid()), mac(p.dstLid()), ip(p.srcLid()),
        ip(p.dstLid()), "1", "" + RoceV2.sourcePort(p.destQp()), "4791", "" + op, p.solicited() ? "1" : "0",
        p.ackReq() ? "1" : "0", "" + (-payload.length & 3), "" + p.pkey(), hex(p.destQp(), 6), "" + p.psn(),
        addressed ? hex(p.va(), 16) : "", addressed ? hex(p.rkey(), 8) : "",
        reth ? Integer.toUnsignedString(p.dmaLength()) : "", aeth ? "" + p.syndrome() : "", aeth ? "" + p.msn() : "",
        Opcode.hasImmDt(op) ? HexFormat.of().toHexDigits(p.immediate()) : "",
        Opcode.hasIeth(op) ? HexFormat.of().toHexDigits(p.rkey()) : "",
        atomic ? Long.toUnsignedString(p.swapAdd()) : "", atomic ? Long.toUnsignedString(p.compare()) : "",
        Opcode.hasAtomicAckEth(op) ? Long.toUnsignedString(p.swapAdd()) : "",
        Opcode.hasDeth(op) ? hex(p.qkey() & 0xffff_ffffL, 16) : "", Opcode.hasDeth(op) ? hex(p.srcQp(), 8) : "",
        HexFormat.of().formatHex(payload) + "00".repeat(-payload.length & 3), hex(icrcAsShown(p), 8));
  }

  private static int icrcAsShown(Packet packet) {
    PacketCodec codec = new PacketCodec();
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[8192]);
    int length = codec.encode(packet, buffer, 0, true);
    return buffer.getInt(length - 4, ByteOrder.BIG_ENDIAN);
  }

  private static String mac(int lid) {
    return String.format("02:57:00:00:%02x:%02x", lid >>> 8, lid & 0xff);
  }

  private static String ip(int lid) {
    return "10.87." + (lid >>> 8) + "." + (lid & 0xff);
  }

  private static String hex(long value, int digits) {
    return "0x" + HexFormat.of().toHexDigits(value, digits);
  }

  /** tshark's names are "Reliable Connection (RC) - RDMA READ response First" and so on; ours use underscores and a short prefix. */
  private void assertOpcodeNames(Path file, List<Packet> sent) throws IOException, InterruptedException {
    List<String> lines = Tshark.run(file, dir, List.of("-O", "infiniband"));
    List<String> names = new ArrayList<>();
    for (String line : lines) {
      Matcher opcode = OPCODE.matcher(line);
      if (opcode.find()) {
        names.add(simple((opcode.group(1).equals("RC") ? "" : opcode.group(1)) + opcode.group(2)));
      }
    }
    List<String> want = sent.stream().map(p -> simple(Opcode.name(p.opcode()))).toList();
    assertEquals(want, names);
  }

  private static String simple(String name) {
    return name.toUpperCase(Locale.ROOT).replaceAll("[ _]|IMMEDIATE$", "").replaceAll("IMM$", "");
  }

  @Test
  void shouldStayDecodableAtTheLargestPathMtu() throws IOException, InterruptedException {
    Path file = capture(List.of(packets.next(Opcode.RC_RDMA_WRITE_FIRST, 32_768),
        packets.next(Opcode.RC_RDMA_WRITE_MIDDLE, 65_488),
        packets.next(Opcode.RC_RDMA_WRITE_LAST, 65_536)));
    assertEquals(List.of("32842\t6", "65546\t7", "65594\t8"),
        Tshark.fields(file, dir, List.of("frame.len", "infiniband.bth.opcode")));
    assertClean(file);
  }

  @Test
  void shouldShowAMulticastGroupAsItsIpAndMacAddress() throws IOException, InterruptedException {
    Path file = capture(List.of(new Packet(Opcode.UD_SEND_ONLY, 5, 0xc123, 0, false, false, Packet.DEFAULT_PKEY, Packet.MULTICAST_QP, 1,
        0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, packets.payload(16))));
    assertEquals(List.of("01:00:5e:57:c1:23\t239.87.193.35\t0xffffff"),
        Tshark.fields(file, dir, List.of("eth.dst", "ip.dst", "infiniband.bth.destqp")));
    assertClean(file);
  }

  @Test
  void shouldBeFoundUncleanWhenItsHeadersAreDamaged() throws IOException, InterruptedException {
    Path file = capture(List.of(packets.next(Opcode.RC_RDMA_WRITE_ONLY, 8)));
    byte[] bytes = Files.readAllBytes(file);
    int bth = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("\u0012\u00b7") + 6;
    bytes[bth] = Opcode.RC_CMP_SWAP;
    bytes[bth - 18] ^= 1;
    Files.write(file, bytes);
    assertEquals(1, Tshark.run(file, dir, List.of("-Y", "_ws.malformed || _ws.expert")).size());
  }
}
