package dev.weft.pvfs.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.layout.Striping;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MessagesTest {
  private static final int ROUNDS = 20_000;

  private static DaemonRequest request() {
    DaemonRequest request = new DaemonRequest();
    request.op = DaemonOp.WRITE;
    request.band = Band.SERVER;
    request.id = -5;
    request.object = 1L << 40;
    request.file.add(7, 100);
    request.file.add(1L << 50, 28);
    request.memory.add(-4096, 128, 99);
    return request;
  }

  @Test
  void shouldReadARequestAsItWasWritten() {
    DaemonRequest request = request();
    MemorySegment memory = MemorySegment.ofArray(new byte[DaemonRequest.BYTES_MAX]);
    int bytes = request.encode(memory, 3);
    DaemonRequest read = new DaemonRequest();
    assertEquals(bytes, read.decode(memory, 3, bytes), read.problem());
    assertEquals(request.op, read.op);
    assertEquals(request.band, read.band);
    assertEquals(request.id, read.id);
    assertEquals(request.object, read.object);
    assertEquals(request.file.toString(), read.file.toString());
    assertEquals("[-4096+128]", read.memory.toString());
    assertEquals(99, read.memory.key(0));
  }

  @Test
  void shouldHaveAChecksumOfAWriteAndOfWhatWasRead() {
    DaemonRequest request = request();
    request.op = DaemonOp.WRITE;
    MemorySegment memory = MemorySegment.ofArray(new byte[DaemonRequest.BYTES_MAX]);
    int without = request.encode(memory, 0);
    request.isChecked = true;
    request.sum = 0xdeadbeef;
    int bytes = request.encode(memory, 0);
    assertEquals(without + 4, bytes);
    DaemonRequest read = new DaemonRequest();
    assertEquals(bytes, read.decode(memory, 0, bytes), read.problem());
    assertTrue(read.isChecked);
    assertEquals(0xdeadbeef, read.sum);
    assertEquals("[-4096+128]", read.memory.toString());
    assertEquals(-1, read.decode(memory, 0, without), "its checksum is missing");
    request.op = DaemonOp.READ;
    assertEquals(without, request.encode(memory, 0), "that of a read comes with the answer");
    assertEquals(without, read.decode(memory, 0, without), read.problem());
    assertTrue(read.isChecked);
    DaemonReply reply = new DaemonReply();
    reply.set(3, 0, 128, 128).checked(-17).encode(memory, 0);
    DaemonReply other = new DaemonReply();
    assertTrue(other.decode(memory, 0, DaemonReply.BYTES), other.problem());
    assertTrue(other.hasSum);
    assertEquals(-17, other.sum);
    reply.set(3, 0, 128, 128).encode(memory, 0);
    assertTrue(other.decode(memory, 0, DaemonReply.BYTES), other.problem());
    assertFalse(other.hasSum || other.isLoan);
    reply.encodeLoan(memory, 0, 3, 4711, 9);
    assertTrue(other.decode(memory, 0, DaemonReply.LOAN_BYTES), other.problem());
    assertTrue(other.isLoan && !other.hasSum);
    assertEquals(4711, other.loanAddress);
  }

  @Test
  void shouldSayWhyARequestIsNone() {
    MemorySegment memory = MemorySegment.ofArray(new byte[DaemonRequest.BYTES_MAX]);
    DaemonRequest read = new DaemonRequest();
    assertEquals(-1, read.decode(memory, 0, 67));
    assertEquals("a request of 67 bytes, the shortest has 76", read.problem());
    int bytes = request().encode(memory, 0);
    assertEquals(-1, read.decode(memory, 0, bytes + 1));
    assertEquals("a request with 1 bytes of data where it says 0", read.problem());
    DaemonRequest unequal = request();
    unequal.file.add(0, 1);
    assertEquals(-1, read.decode(memory, 0, unequal.encode(memory, 0)));
    assertEquals("128 bytes of memory for 129 of the object", read.problem());
    DaemonRequest far = request();
    far.file.clear();
    far.file.add(Long.MAX_VALUE - 5, 128);
    assertEquals(-1, read.decode(memory, 0, far.encode(memory, 0)));
    assertEquals("a range of 128 bytes from " + (Long.MAX_VALUE - 5), read.problem());
  }

  @Test
  void shouldTellHolesByTheirEnds() {
    DaemonRequest request = new DaemonRequest();
    request.op = DaemonOp.PUNCH;
    assertTrue(DaemonRequest.addHole(request.file, 7, 1L << 62));
    assertFalse(DaemonRequest.addHole(request.file, 100, 200), "it does not lie behind");
    MemorySegment memory = MemorySegment.ofArray(new byte[DaemonRequest.BYTES_MAX]);
    DaemonRequest read = new DaemonRequest();
    assertTrue(read.decode(memory, 0, request.encode(memory, 0)) > 0, read.problem());
    assertEquals(List.of(1, 7L, 1L << 62), List.of(read.holes(), read.holeFrom(0), read.holeEnd(0)));
    request.file.clear();
    for (int hole = 0; hole < DaemonRequest.RANGES_MAX / 2; hole++) {
      assertTrue(DaemonRequest.addHole(request.file, 10L * hole, 10L * hole + 5));
    }
    assertFalse(DaemonRequest.addHole(request.file, 1000, 2000));
    for (long[] wrong : new long[][] {{3}, {5, 3}, {1, 4, 2, 6}}) {
      request.file.clear();
      for (long place : wrong) {
        request.file.add(place, 0);
      }
      assertEquals(-1, read.decode(memory, 0, request.encode(memory, 0)));
      assertTrue(read.problem().contains("where each begins and where it ends"), read.problem());
    }
  }

  /** Whatever comes: a request that makes sense, or a reason. */
  @Test
  void shouldSurviveGarbage() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    DaemonRequest request = new DaemonRequest();
    DaemonReply reply = new DaemonReply();
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      if (bytes.length > 8 && random.nextBoolean()) {
        bytes[0] = DaemonRequest.VERSION;
        bytes[1] = (byte) random.nextInt(30);
        bytes[3] = (byte) random.nextInt(4);
        bytes[4] = (byte) random.nextInt(4);
      }
      String what = "seed " + seed + ", round " + round;
      MemorySegment memory = MemorySegment.ofArray(bytes);
      int length = request.decode(memory, 0, bytes.length);
      assertEquals(length < 0, request.problem() != null, what);
      assertTrue(length <= bytes.length, what);
      assertEquals(reply.decode(memory, 0, bytes.length), reply.problem() == null, what);
      Hello.decode(bytes);
      ManagerHello.decode(bytes);
      refused(() -> MetaRequest.decode(ByteBuffer.wrap(bytes)));
      refused(() -> MetaReply.decode(ByteBuffer.wrap(bytes)));
      refused(() -> DirectoryPage.decode(bytes));
    }
  }

  /** Nothing but IllegalArgumentException. */
  private static void refused(Runnable decoding) {
    try {
      decoding.run();
    } catch (IllegalArgumentException none) {
      assertNotNull(none.getMessage());
    }
  }

  @Test
  void shouldReadTheMetadataMessagesAsTheyWereWritten() {
    Caller caller = new Caller(5, 6, List.of(7, 8), Caller.MORE_GROUPS | Caller.CHOWN);
    MetaRequest request = MetaRequest.of(MetaOp.CREATE, caller, 1, 0644, 1, -1, 0, 0).named(new byte[] {-1, 10})
        .withValue(new byte[8192]).withOther(9).numbered(77).inSlot(MetaRequest.SLOTS - 1);
    ByteBuffer buffer = ByteBuffer.allocate(MetaRequest.BYTES_MAX);
    request.encode(buffer);
    MetaRequest read = MetaRequest.decode(buffer.flip());
    assertEquals(request.caller(), read.caller());
    assertEquals(request.numbers(), read.numbers());
    assertArrayEquals(request.name(), read.name());
    assertArrayEquals(request.value(), read.value());
    assertEquals(77, read.id());
    assertEquals(MetaRequest.SLOTS - 1, read.slot());
    request.inSlot(MetaRequest.NO_SLOT).encode(buffer.clear());
    assertEquals(MetaRequest.NO_SLOT, MetaRequest.decode(buffer.flip()).slot());
    request.inSlot(MetaRequest.SLOTS).encode(buffer.clear());
    assertThrows(IllegalArgumentException.class, () -> MetaRequest.decode(buffer.flip()));
    assertEquals(9, read.other());
    assertEquals(-3, read.number(5, -3));
    FileAttributes attributes = new FileAttributes(3, 0100644, 1, 2, 1, 4, 5, 6, 7, new Striping(1, 2, 3, 4), -2, 9);
    MetaReply reply = new MetaReply(77, 0, attributes, 1, new byte[] {1});
    reply.encode(buffer.clear());
    assertEquals(attributes, MetaReply.decode(buffer.flip()).attributes());
    MetaReply.failed(5, 116).encode(buffer.clear());
    MetaReply failed = MetaReply.decode(buffer.flip());
    assertEquals(116, failed.errno());
    assertNull(failed.attributes());
  }

  @Test
  void shouldKnowWhichOfTwoTimesIsThatOfTheLastChange() {
    FileAttributes written = new FileAttributes(3, 0100644, 1, 2, 1, 4, 5, 60, 70, new Striping(1, 2, 3, 4));
    assertEquals(60, written.written(50, 100).mtimeNs());
    assertEquals(List.of(65L, 70L), List.of(written.written(65, 100).mtimeNs(), written.written(65, 100).ctimeNs()));
    assertEquals(List.of(80L, 80L), List.of(written.written(80, 100).mtimeNs(), written.written(80, 100).ctimeNs()));
    FileAttributes set = new FileAttributes(3, 0100644, 1, 2, 1, 4, 5, 1_000, 70, new Striping(1, 2, 3, 4), 0, 70);
    assertEquals(1_000, set.written(69, 100).mtimeNs());
    assertEquals(50, set.written(50, -5_000_000_000L).mtimeNs(), "the clock was put back");
    assertEquals(100, FileTimes.next(90, 100));
    assertEquals(100, FileTimes.next(100, 90));
    assertEquals(90, FileTimes.next(3_600_000_000_000L, 90));
    assertEquals(100, FileTimes.latest(90, 100, 110));
    assertEquals(90, FileTimes.latest(90, 3_600_000_000_000L, 110));
    assertEquals(90, FileTimes.latest(3_600_000_000_000L, 90, 110));
    assertEquals(List.of(71L, 71L), List.of(set.written(71, 100).mtimeNs(), set.written(71, 100).ctimeNs()));
  }

  @Test
  void shouldFitTheLongestRequestAndReplyIntoAMessage() {
    int[] groups = new int[Caller.GROUPS_MAX];
    MetaRequest longest = MetaRequest.of(MetaOp.SETXATTR, new Caller(1, 2, Arrays.stream(groups).boxed().toList()), 1, 1, 2, 3, 4, 5, 6, 7, 8)
        .named(new byte[4096]).withValue(new byte[MetaRequest.VALUE_BYTES_MAX]);
    assertTrue(longest.fits());
    longest.encode(ByteBuffer.allocate(MetaRequest.BYTES_MAX));
    assertFalse(longest.named(new byte[4097]).fits());
    FileAttributes attributes = new FileAttributes(3, 0100644, 1, 2, 1, 4, 5, 6, 7, null);
    new MetaReply(1, 0, attributes, 0, new byte[MetaReply.VALUE_BYTES_MAX]).encode(ByteBuffer.allocate(MetaReply.BYTES_MAX));
  }

  @Test
  void shouldTakeAsManyEntriesAsFitOnAPage() {
    DirectoryPage page = new DirectoryPage(500);
    FileAttributes attributes = new FileAttributes(3, 0100644, 1, 2, 1, 4, 5, 6, 7, new Striping(0, 1, 1, 1));
    int added = 0;
    while (page.add(new DirectoryPage.Entry(added, new byte[] {'f', (byte) added}, attributes, added % 2 == 1))) {
      added++;
    }
    byte[] coded = page.encode();
    assertTrue(coded.length <= 500);
    List<DirectoryPage.Entry> entries = DirectoryPage.decode(coded);
    assertEquals(added, entries.size());
    assertEquals(attributes, entries.getLast().attributes());
    assertTrue(entries.get(1).isLengthOpen());
    assertThrows(IllegalArgumentException.class, () -> DirectoryPage.decode(Arrays.copyOf(coded, coded.length - 1)));
  }
}
