package dev.weft.pvfs.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class RunningSumTest {
  private static int crc32c(byte[] data, int from, int bytes) {
    CRC32C sum = new CRC32C();
    sum.update(data, from, bytes);
    return (int) sum.getValue();
  }

  /** Of pieces of which some are known by their checksum alone; nothing at all among them. */
  @Test
  void shouldBeThatOfAllBytesInOrder() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    RunningSum sum = new RunningSum();
    for (int round = 0; round < 300; round++) {
      byte[] data = new byte[random.nextInt(200_000)];
      random.nextBytes(data);
      sum.reset();
      for (int at = 0, bytes; at < data.length; at += bytes) {
        bytes = random.nextInt(Math.min(data.length - at, 70_000) + 1);
        if (random.nextBoolean()) {
          sum.update(ByteBuffer.wrap(data, at, bytes));
        } else {
          sum.add(crc32c(data, at, bytes), bytes);
        }
      }
      assertEquals(crc32c(data, 0, data.length), sum.value(), "seed " + seed + ", round " + round);
      assertEquals(sum.value(), sum.value(), "to ask changes nothing");
    }
  }

  @Test
  void shouldKnowLongPieces() {
    byte[] zeros = new byte[1 << 20];
    CRC32C all = new CRC32C();
    RunningSum sum = new RunningSum();
    int piece = crc32c(zeros, 0, zeros.length);
    int known = piece;
    all.update(zeros);
    sum.add(piece, zeros.length);
    for (long bytes = zeros.length; bytes < 1L << 30; bytes *= 2) { // Doubles what is known.
      for (long more = 0; more < bytes; more += zeros.length) {
        all.update(zeros);
      }
      sum.add(known, bytes);
      known = sum.value();
      assertEquals((int) all.getValue(), known, () -> "after more than a MiB");
    }
  }
}
