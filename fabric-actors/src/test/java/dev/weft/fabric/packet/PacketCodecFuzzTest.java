package dev.weft.fabric.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Whatever the bytes, the codec gives a packet or a {@link PacketFormatException}, and a packet is written back as the
 * same bytes. Jazzer searches for counterexamples when run with JAZZER_FUZZ=1 and replays its corpus otherwise; the
 * seeded mutations run always.
 */
class PacketCodecFuzzTest {
  private static final int INPUTS = 300_000;
  private static final int SRC_LID = 5;
  private static final int DST_LID = 6;

  private final PacketCodec codec = new PacketCodec();
  private final UnsafeBuffer again = new UnsafeBuffer(new byte[70_000]);

  @FuzzTest
  void shouldDecodeOrRefuseAnyBytes(byte[] bytes) {
    decodesOrRefuses(bytes, bytes.length, false);
    decodesOrRefuses(bytes, bytes.length, true);
  }

  @Test
  void shouldDecodeOrRefuseMutatedPackets() {
    RandomGenerator random = RandomPackets.seeded("PacketCodecFuzzTest");
    RandomPackets packets = new RandomPackets(random);
    byte[] bytes = new byte[512];
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    int decodedCount = 0;
    for (int i = 0; i < INPUTS; i++) {
      int length;
      if (i % 4 == 0) {
        random.nextBytes(bytes);
        length = random.nextInt(120);
      } else {
        length = codec.encode(packets.next(packets.opcode(), random.nextInt(300)), buffer, 0, false);
        length = mutate(random, bytes, length);
      }
      decodedCount += decodesOrRefuses(bytes, length, false) ? 1 : 0;
      decodesOrRefuses(bytes, length, true);
    }
    int decoded = decodedCount;
    assertTrue(decoded > INPUTS / 20 && decoded < INPUTS * 19 / 20, () -> "decoded " + decoded + " of " + INPUTS);
  }

  /** Flips a few bits, mostly in the headers, and sometimes cuts or lengthens. */
  private static int mutate(RandomGenerator random, byte[] bytes, int length) {
    for (int flips = random.nextInt(4); flips > 0; flips--) {
      int at = random.nextInt(random.nextBoolean() ? PacketCodec.BTH_LENGTH : length);
      bytes[at] ^= (byte) (1 << random.nextInt(8));
    }
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt(length);
      case 1 -> length + random.nextInt(20);
      case 2 -> length - 4;
      default -> length;
    };
  }

  private boolean decodesOrRefuses(byte[] bytes, int length, boolean checkIcrc) {
    Packet packet;
    try {
      packet = codec.decode(new UnsafeBuffer(bytes), 0, length, SRC_LID, DST_LID, 0, checkIcrc, null);
    } catch (PacketFormatException refused) {
      assertTrue(refused.reason() != null && !refused.getMessage().isEmpty());
      return false;
    } catch (RuntimeException e) {
      return fail("bytes " + HexFormat.of().formatHex(bytes, 0, length), e);
    }
    int compared = checkIcrc ? length : length - Icrc.LENGTH;
    assertEquals(length, codec.encode(packet, again, 0, checkIcrc));
    if (!checkIcrc && Opcode.hasBurst(packet.opcode())) {
      System.arraycopy(bytes, 9, again.byteArray(), 9, 3); // Parity, which is not looked at either.
    }
    if (new UnsafeBuffer(bytes, 0, compared).compareTo(new UnsafeBuffer(again, 0, compared)) != 0) {
      fail("not written back: " + packet + " from " + HexFormat.of().formatHex(bytes, 0, length));
    }
    return true;
  }
}
