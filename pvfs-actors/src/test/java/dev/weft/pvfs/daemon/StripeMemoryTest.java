package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class StripeMemoryTest {
  private static final int CHUNK = StripeMemory.CHUNK_BYTES;
  private static final int PAGE = StripeMemory.PAGE_BYTES;
  private final MemorySegment memory = Arena.ofAuto().allocate(4L * CHUNK);
  private final StripeMemory stripes = new StripeMemory(memory);

  private byte at(long object, long local) {
    long found = stripes.find(object, local);
    return found == StripeMemory.HOLE ? 0 : memory.get(ValueLayout.JAVA_BYTE, found);
  }

  private void write(long object, long local, int bytes) {
    assertEquals(StripeMemory.Room.MADE, stripes.fill(object, local, bytes));
    for (int i = 0; i < bytes; i++) {
      memory.set(ValueLayout.JAVA_BYTE, stripes.find(object, local + i), (byte) 7);
    }
    stripes.extend(object, local + bytes);
  }

  @Test
  void shouldReadZerosWhereNothingWasWritten() {
    write(1, 5L * CHUNK + 10, 20);
    assertEquals(0, at(1, 0));
    assertEquals(0, at(1, 5L * CHUNK + 9));
    assertEquals(7, at(1, 5L * CHUNK + 10));
    assertEquals(5L * CHUNK + 30, stripes.bytes(1));
    assertEquals(3L * CHUNK, stripes.freeBytes());
  }

  @Test
  void shouldZeroWhatIsCutOffBeforeAnybodyElseReadsIt() {
    write(1, 0, 2 * CHUNK);
    stripes.truncate(1, 10);
    stripes.truncate(1, 2L * CHUNK);
    assertEquals(7, at(1, 9));
    assertEquals(0, at(1, 10));
    assertEquals(0, at(1, CHUNK + 5L));
    stripes.allowReuse(0, 0);
    for (int file = 2; file < 5; file++) {
      assertEquals(StripeMemory.Room.MADE, stripes.fill(file, 0, CHUNK));
      assertEquals(0, at(file, 5), "file " + file);
    }
  }

  @Test
  void shouldNotUseAChunkAgainThatATransferMayTouch() {
    write(1, 0, 4 * CHUNK);
    stripes.allowReuse(7, 3); // Transfers 4 to 7 are under way.
    stripes.remove(1);
    assertFalse(stripes.clean(10));
    assertEquals(StripeMemory.Room.LATER, stripes.fill(2, 0, CHUNK));
    stripes.allowReuse(9, 6);
    assertEquals(StripeMemory.Room.LATER, stripes.fill(2, 0, CHUNK));
    stripes.allowReuse(9, 7);
    assertEquals(StripeMemory.Room.MADE, stripes.fill(2, 0, CHUNK));
    assertEquals(StripeMemory.Room.MADE, stripes.fill(2, CHUNK, 3 * CHUNK));
    assertEquals(StripeMemory.Room.NONE, stripes.fill(3, 0, 1));
  }

  @Test
  void shouldPunchWithinAndOverChunks() {
    write(1, 0, 3 * CHUNK);
    stripes.punch(1, 10, 20);
    stripes.punch(1, CHUNK - 5, 2L * CHUNK + 5);
    assertEquals(7, at(1, 9));
    assertEquals(0, at(1, 15));
    assertEquals(7, at(1, 20));
    assertEquals(0, at(1, CHUNK - 1));
    assertEquals(StripeMemory.HOLE, stripes.find(1, CHUNK));
    assertEquals(0, at(1, 2L * CHUNK + 4));
    assertEquals(7, at(1, 2L * CHUNK + 5));
    assertEquals(3L * CHUNK, stripes.bytes(1));
    assertEquals(2L * CHUNK, stripes.freeBytes());
  }

  @Test
  void shouldForgetWhatAFailedWriteLeftBeyondTheEnd() {
    assertEquals(StripeMemory.Room.MADE, stripes.fill(1, 2L * CHUNK, 10));
    memory.set(ValueLayout.JAVA_BYTE, stripes.find(1, 2L * CHUNK), (byte) 9);
    stripes.truncate(1, 3L * CHUNK);
    assertEquals(0, at(1, 2L * CHUNK));
  }

  private int sumOf(long index, boolean isStill) {
    return stripes.sum(stripes.find(1, index * CHUNK), isStill);
  }

  private int sumAsItLies(long index) {
    CRC32C sum = new CRC32C();
    sum.update(memory.asSlice(stripes.find(1, index * CHUNK), CHUNK).asByteBuffer());
    return (int) sum.getValue();
  }

  /** A byte is changed behind its back, to see whether it looks again. */
  @Test
  void shouldRememberTheChecksumOfAChunkUntilItIsChanged() {
    write(1, 0, 3 * CHUNK);
    int first = sumOf(1, true);
    assertEquals(sumAsItLies(1), first);
    memory.set(ValueLayout.JAVA_BYTE, stripes.find(1, CHUNK), (byte) 8);
    assertEquals(first, sumOf(1, true), "it is remembered");
    stripes.fill(1, CHUNK - 1, 1);
    assertEquals(first, sumOf(1, true), "the chunk before was written");
    stripes.fill(1, 2L * CHUNK - 1, 1);
    int second = sumOf(1, true);
    assertEquals(sumAsItLies(1), second, "its last byte was written");
    stripes.punch(1, CHUNK + 5, CHUNK + 10);
    assertEquals(sumAsItLies(1), sumOf(1, true), "a hole was made in it");
    stripes.truncate(1, CHUNK + 1);
    assertEquals(sumAsItLies(1), sumOf(1, true), "it was cut");
    stripes.truncate(1, CHUNK);
    stripes.allowReuse(0, 0);
    stripes.fill(1, CHUNK, CHUNK);
    assertEquals(StripeMemory.SUM_OF_ZEROS, sumOf(1, true), "it is another chunk, or was cleaned");
  }

  @Test
  void shouldNotRememberTheChecksumOfAChunkThatMayChange() {
    write(1, 0, CHUNK);
    int first = sumOf(0, false);
    assertEquals(sumAsItLies(0), first);
    memory.set(ValueLayout.JAVA_BYTE, stripes.find(1, 0), (byte) 8);
    assertEquals(sumAsItLies(0), sumOf(0, false));
  }

  @Test
  void shouldRefuseMemoryThatIsNoWholeNumberOfChunks() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> new StripeMemory(memory.asSlice(0, 100))).getMessage().contains("multiple of 65536"));
  }

  @Test
  void shouldTakeAPageForASmallObject() {
    for (int file = 0; file < 64; file++) {
      assertEquals(4L * CHUNK - file * PAGE, stripes.freeBytes());
      write(file, 0, 1);
    }
    assertEquals(StripeMemory.Room.NONE, stripes.fill(64, 0, 1));
    assertEquals(0, stripes.freeBytes());
    for (int file = 0; file < 64; file++) {
      stripes.remove(file);
    }
    assertEquals(4L * CHUNK, stripes.freeBytes());
    stripes.allowReuse(0, 0);
    write(1, 0, 4 * CHUNK);
    assertEquals(StripeMemory.SUM_OF_ZEROS, emptied(), "all pages became whole chunks again");
  }

  private int emptied() {
    stripes.remove(1);
    stripes.allowReuse(0, 0);
    stripes.fill(1, CHUNK, CHUNK);
    return sumOf(1, true);
  }

  @Test
  void shouldGrowByPagesWhereItLies() {
    write(1, 0, 10);
    long first = stripes.find(1, 0);
    write(1, 10, PAGE);
    write(1, 5L * PAGE, 3);
    assertEquals(first, stripes.find(1, 0));
    assertEquals(first + PAGE, stripes.find(1, PAGE), "one behind the other");
    assertEquals(StripeMemory.HOLE, stripes.find(1, 2L * PAGE));
    assertEquals(PAGE - 3L, stripes.restOfPiece(1, 2L * PAGE + 3));
    assertEquals(4L * CHUNK - 3 * PAGE, stripes.freeBytes());
    assertEquals(7, at(1, 9));
    assertEquals(7, at(1, PAGE));
    assertEquals(0, at(1, PAGE + 10));
  }

  @Test
  void shouldUsePagesForALargeObjectWhereNoWholeChunkIsLeft() {
    for (int file = 0; file < 64; file++) {
      write(file, 0, 1);
    }
    for (int file = 0; file < 64; file += 2) {
      stripes.remove(file);
    }
    stripes.allowReuse(0, 0);
    write(99, CHUNK, 2 * CHUNK);
    assertEquals(0, stripes.freeBytes());
    assertEquals(7, at(99, 3L * CHUNK - 1));
    assertEquals(StripeMemory.Room.NONE, stripes.fill(100, 0, 1));
  }

  @Test
  void shouldPunchPages() {
    write(1, 0, 3 * PAGE);
    stripes.punch(1, 10, 2L * PAGE + 5);
    assertEquals(7, at(1, 9));
    assertEquals(0, at(1, 10));
    assertEquals(StripeMemory.HOLE, stripes.find(1, PAGE));
    assertEquals(0, at(1, 2L * PAGE + 4));
    assertEquals(7, at(1, 2L * PAGE + 5));
    assertEquals(4L * CHUNK - 2 * PAGE, stripes.freeBytes());
    stripes.truncate(1, 0);
    assertEquals(4L * CHUNK, stripes.freeBytes());
    assertEquals(CHUNK, stripes.restOfPiece(1, 0));
  }

  @Test
  void shouldNotUseAPageAgainThatATransferMayTouch() {
    for (int file = 0; file < 64; file++) {
      write(file, 0, 1);
    }
    stripes.allowReuse(7, 3); // Transfers 4 to 7 are under way.
    stripes.remove(5);
    assertEquals(StripeMemory.Room.LATER, stripes.fill(70, 0, 1));
    stripes.allowReuse(9, 7);
    assertEquals(StripeMemory.Room.MADE, stripes.fill(70, 0, 1));
    assertEquals(0, at(70, 0));
  }
}
