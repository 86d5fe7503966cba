package dev.weft.fabric.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class BurstsTest {
  private int released;

  private Packet burst(byte[] data, boolean more) {
    return Packet.burst(Opcode.CLAN_WRITE, 3, 4, 0, 0, 0x1000, 77, 500, more,
        Payload.of(MemorySegment.ofArray(data), 0, data.length, () -> released++));
  }

  @Test
  void shouldBecomeWhatItWasHoweverItIsCutAndJoined() {
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      byte[] data = new byte[random.nextInt(2, 3000)];
      random.nextBytes(data);
      released = 0;
      boolean asks = seed % 3 == 0;
      Packet whole = burst(data, seed % 2 == 0);
      List<Packet> parts = new ArrayList<>(List.of(asks ? whole.askingForAnswer() : whole));
      for (int step = 0; step < 40; step++) {
        int i = random.nextInt(parts.size());
        int length = parts.get(i).payload().length();
        if (random.nextBoolean() && length > 1) {
          Packet[] cut = Bursts.split(parts.get(i), random.nextInt(1, length));
          parts.set(i, cut[0]);
          parts.add(i + 1, cut[1]);
        } else if (i + 1 < parts.size()) {
          Packet joined = Bursts.coalesce(parts.get(i), parts.get(i + 1), 65_536);
          assertNotNull(joined, "neighbours continue each other");
          parts.set(i, joined);
          parts.remove(i + 1);
        }
      }
      byte[] got = new byte[data.length];
      int position = 500;
      for (int i = 0; i < parts.size(); i++) {
        Packet part = parts.get(i);
        assertEquals(position, part.immediate());
        assertEquals(0x1000 + position - 500, part.va());
        assertEquals(i + 1 < parts.size() || seed % 2 == 0, part.solicited(), "more follows");
        assertEquals(asks && i + 1 == parts.size(), part.ackReq(), "the last part asks, when all is there");
        part.payload().copyTo(MemorySegment.ofArray(got), position - 500, new CopyCounter());
        position += Bursts.positions(part);
        assertEquals(0, released, "somebody still needs the bytes");
        part.release();
      }
      assertArrayEquals(data, got, "seed " + seed);
      assertEquals(1, released);
    }
  }

  @Test
  void shouldJoinOnlyWhatContinues() {
    Packet first = burst(new byte[100], false);
    Packet[] cut = Bursts.split(first, 40);
    assertNull(Bursts.coalesce(cut[1], cut[0], 4096));
    assertNull(Bursts.coalesce(cut[0], cut[1], 99), "too long");
    assertNull(Bursts.coalesce(cut[0], first, 4096));
    assertNull(Bursts.coalesce(cut[0], Packet.burst(Opcode.CLAN_WRITE, 9, 4, 0, 0, cut[1].va(), 77, cut[1].immediate(), false,
        cut[1].payload()), 4096), "of another sender");
    assertThrows(IllegalArgumentException.class, () -> Bursts.split(first, 100));
  }

  @Test
  void shouldShowEveryFlippedBitByItsParity() {
    PacketCodec codec = new PacketCodec();
    byte[] data = new byte[41];
    new SplittableRandom(5).nextBytes(data);
    UnsafeBuffer wire = new UnsafeBuffer(new byte[200]);
    int length = codec.encode(burst(data, true), wire, 0, true);
    int parity = wire.getInt(8);
    for (int bit = 12 * 8; bit < (length - 4) * 8; bit++) {
      byte[] copy = wire.byteArray().clone();
      copy[bit >> 3] ^= (byte) (1 << (bit & 7));
      int columns = 0;
      UnsafeBuffer flipped = new UnsafeBuffer(copy);
      for (int at = 12; at < length - 4; at += 4) {
        columns ^= flipped.getInt(at, java.nio.ByteOrder.BIG_ENDIAN);
      }
      assertEquals(false, ((columns ^ columns >>> 24) & 0xffffff) == (Integer.reverseBytes(parity) & 0xffffff), "bit " + bit);
    }
  }
}
