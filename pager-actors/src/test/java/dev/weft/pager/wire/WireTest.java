package dev.weft.pager.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.messaging.MailboxAddress;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class WireTest {
  @Test
  void shouldGiveBackTheRequestThatWasEncoded() {
    Random random = new Random(1);
    MemorySegment memory = MemorySegment.ofArray(new byte[128]);
    for (int i = 0; i < 1000; i++) {
      PagerRequest out = new PagerRequest();
      out.id = random.nextLong();
      out.op = PagerOp.of(random.nextInt(PagerOp.count()));
      out.rkey = random.nextInt();
      out.areaOffset = random.nextLong() >>> 1;
      out.length = 1 + (random.nextLong() >>> 2);
      out.clientAddress = random.nextLong();
      PagerRequest in = new PagerRequest();
      assertNull(in.decode(memory, 3, out.encode(memory, 3)));
      assertEquals(out.id, in.id);
      assertEquals(out.op, in.op);
      assertEquals(out.rkey, in.rkey);
      assertEquals(out.areaOffset, in.areaOffset);
      assertEquals(out.length, in.length);
      assertEquals(out.clientAddress, in.clientAddress);
    }
  }

  @Test
  void shouldHaveTheFixedLayoutOfARequest() {
    PagerRequest out = new PagerRequest();
    out.id = 0x0807060504030201L;
    out.op = PagerOp.WRITE;
    out.rkey = 0x44332211;
    out.areaOffset = 0x1000;
    out.length = 0x2000;
    out.clientAddress = 0x7f00;
    byte[] bytes = new byte[40];
    out.encode(MemorySegment.ofArray(bytes), 0);
    byte[] expected = {1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 3, 0, 0x11, 0x22, 0x33, 0x44, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0,
        0, 0, 0, 0x7f, 0, 0, 0, 0, 0, 0};
    assertArrayEquals(expected, bytes);
    out.isInline = true;
    out.encode(MemorySegment.ofArray(bytes), 0);
    expected[9] = 1;
    assertArrayEquals(expected, bytes);
  }

  @Test
  void shouldTakeAWriteWithItsDataOnlyIfAllOfItIsThere() {
    PagerRequest out = new PagerRequest();
    out.op = PagerOp.WRITE;
    out.length = 24;
    out.isInline = true;
    MemorySegment memory = MemorySegment.ofArray(new byte[128]);
    out.encode(memory, 0);
    PagerRequest in = new PagerRequest();
    assertNull(in.decode(memory, 0, 64));
    assertTrue(in.isInline);
    assertEquals("request of 24 bytes with 23 bytes of data behind it, must have as many", in.decode(memory, 0, 63));
    assertEquals("request of 24 bytes with 25 bytes of data behind it, must have as many", in.decode(memory, 0, 65));
    out.op = PagerOp.TRIM;
    out.encode(memory, 0);
    assertTrue(in.decode(memory, 0, 64).startsWith("flags 1 of a TRIM"));
    out.isInline = false;
    out.encode(memory, 0);
    assertEquals("request of 24 bytes with 24 bytes of data behind it, must have none", in.decode(memory, 0, 64));
    assertNull(in.decode(memory, 0, 40));
  }

  @Test
  void shouldGiveBackTheReplyThatWasEncoded() {
    MemorySegment memory = MemorySegment.ofArray(new byte[256]);
    PagerReply out = new PagerReply(256);
    assertEquals(30, out.extents.length);
    out.id = 77;
    out.status = 5;
    out.extentCount = 30;
    for (int i = 0; i < 30; i++) {
      out.extents[i] = i % 2 == 0 ? 4096 : -8192L * i;
    }
    PagerReply in = new PagerReply(256);
    assertNull(in.decode(memory, 0, out.encode(memory, 0)));
    assertEquals(77, in.id);
    assertEquals(5, in.status);
    assertArrayEquals(out.extents, in.extents);
  }

  @Test
  void shouldSayWhatIsWrongWithRandomBytesAndNeverThrow() {
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = new byte[300];
      random.nextBytes(bytes);
      if (random.nextBoolean()) {
        bytes[8] = (byte) random.nextInt(7);
        bytes[9] = (byte) random.nextInt(2);
        bytes[10] = 2;
        bytes[11] = 0;
        bytes[12] = (byte) random.nextInt(40);
        bytes[13] = 0;
        bytes[14] = 2;
        bytes[15] = 0;
      }
      int size = random.nextBoolean() ? 16 + 8 * random.nextInt(31) : random.nextInt(257);
      MemorySegment memory = MemorySegment.ofArray(bytes);
      PagerRequest request = new PagerRequest();
      if (request.decode(memory, 0, size) == null) {
        long data = request.isInline ? request.length : 0;
        assertTrue(size == PagerRequest.BYTES + data && request.areaOffset >= 0 && request.length > 0, "seed " + seed);
      }
      PagerReply reply = new PagerReply(256);
      if (reply.decode(memory, 0, size) == null) {
        assertEquals(size, 16 + 8 * reply.extentCount, "seed " + seed);
      }
      Handshake.Wish.decode(Arrays.copyOf(bytes, random.nextInt(40)));
      Handshake.Grant.decode(Arrays.copyOf(bytes, random.nextInt(40)));
      Handshake.Denial.decode(Arrays.copyOf(bytes, random.nextInt(40)));
    }
  }

  @Test
  void shouldGiveBackTheHandshakeAlsoWhenItWasPadded() {
    Handshake.Wish wish = new Handshake.Wish(1L << 40, 32, 131_072, 8192, new MailboxAddress(1L << 50, -7, 32, 320));
    assertEquals(wish, Handshake.Wish.decode(Arrays.copyOf(wish.encode(), 192)));
    Handshake.Denial denial = new Handshake.Denial(Handshake.Refusal.NO_MEMORY, 4096);
    assertEquals(denial, Handshake.Denial.decode(denial.encode()));
    Handshake.Grant grant = new Handshake.Grant(7, 512, new Handshake.AreaName(-5, 1L << 33), new MailboxAddress(-1, 9, 7, 64));
    assertEquals(grant, Handshake.Grant.decode(grant.encode()));
    assertNull(Handshake.Wish.decode(new byte[192]));
    assertNotNull(Handshake.Wish.decode(wish.encode()));
  }
}
