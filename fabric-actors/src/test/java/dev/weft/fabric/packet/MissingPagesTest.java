package dev.weft.fabric.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.fabric.memory.CutFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults are noticed where they happen, in code that is interpreted and in code that is compiled. */
class MissingPagesTest {
  private static final int ROUNDS = 200_000; // More than it takes to compile everything here.

  private final CutFile file = new CutFile();
  private final MemorySegment cut = file.memory();
  private final MemorySegment good = Arena.ofAuto().allocate(CutFile.BYTES);
  private final CopyCounter copies = new CopyCounter();

  @AfterEach
  void close() {
    file.close();
  }

  /** All is well for that many rounds; then the file is cut. */
  private void assertNoticed(int rounds, BooleanSupplier isGood) {
    for (int i = 0; i < rounds; i++) {
      assertEquals(true, isGood.getAsBoolean());
    }
    file.cut();
    for (int i = 0; i < 10; i++) {
      assertEquals(false, isGood.getAsBoolean(), "after " + rounds + " rounds");
    }
  }

  private boolean copies(MemorySegment from, MemorySegment to, int length) {
    try {
      Payload.of(from, 0, length).copyTo(to, 0, copies);
      return true;
    } catch (PayloadLostException lost) {
      assertEquals(cut, from);
    } catch (TargetLostException lost) {
      assertEquals(cut, to);
    }
    return false;
  }

  @ParameterizedTest
  @CsvSource({"0, 8192", "200000, 8192", "200000, 1", "200000, 1024", "200000, 60000"})
  void shouldLookAtEachPage(int rounds, int length) {
    assertNoticed(rounds, () -> MissingPages.none(cut, 5000, length));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, ROUNDS})
  void shouldLoseBytesThatAreGone(int rounds) {
    assertNoticed(rounds, () -> copies(cut, good, 4096));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, ROUNDS})
  void shouldRefuseATargetThatIsGone(int rounds) {
    assertNoticed(rounds, () -> copies(good, cut, 4096));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 63})
  void shouldLoseFewBytesThatAreGone(int length) {
    assertNoticed(ROUNDS, () -> copies(cut, good, length));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 63})
  void shouldRefuseATargetOfFewBytesThatIsGone(int length) {
    assertNoticed(ROUNDS, () -> copies(good, cut, length));
  }

  @Test
  void shouldSeeOnlyThePagesItIsAskedFor() {
    file.cutTo(8192);
    assertEquals(true, MissingPages.none(cut, 100, 8092));
    assertEquals(false, MissingPages.none(cut, 100, 8093));
    assertEquals(true, MissingPages.none(cut, 60_000, 0));
    assertEquals(true, MissingPages.none(MemorySegment.ofArray(new byte[9]), 0, 9));
    Arena arena = Arena.ofShared();
    MemorySegment freed = arena.allocate(8);
    assertEquals(true, MissingPages.none(freed, 0, 8));
    arena.close();
    assertEquals(false, MissingPages.none(freed, 0, 8));
  }

  @Test
  void shouldNotTakeAnotherErrorForAFault() {
    InternalError other = new InternalError("another");
    assertEquals(other, assertThrows(InternalError.class, () -> MissingPages.expect(other)));
    assertThrows(InternalError.class, () -> MissingPages.expect(new InternalError()));
  }
}
