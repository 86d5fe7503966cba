package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WritersTest {
  private static final long FILE = 9;
  private final Writers writers = new Writers();

  @Test
  void shouldKnowTheLengthWhenTheOnlyWriterHasSaidIt() {
    writers.opened(1, FILE);
    assertTrue(writers.mayWrite(FILE));
    writers.closed(1, FILE, true, false, false);
    assertFalse(writers.mayWrite(FILE));
  }

  @Test
  void shouldNotBelieveALengthThatAnotherWriterMayHaveChanged() {
    writers.opened(1, FILE);
    writers.opened(2, FILE);
    writers.closed(2, FILE, true, false, false);
    writers.closed(1, FILE, true, false, false);
    assertTrue(writers.mayWrite(FILE));
    writers.opened(1, FILE);
    writers.closed(1, FILE, true, false, false);
    assertFalse(writers.mayWrite(FILE), "one that was alone has said it");
  }

  /** Its close may be on the way, with a length of before. */
  @Test
  void shouldNotBelieveALengthOfWhoMayNotKnowThatAnotherHasCutTheFile() {
    writers.cut(2, FILE);
    writers.opened(1, FILE);
    writers.cut(1, FILE);
    writers.closed(1, FILE, true, false, false);
    assertFalse(writers.mayWrite(FILE), "it has cut it itself");
    writers.opened(1, FILE);
    writers.cut(2, FILE);
    writers.closed(1, FILE, true, false, true);
    assertTrue(writers.mayWrite(FILE));
  }

  @Test
  void shouldNotKnowTheLengthWhenAWriterHasGoneOrCouldNotSayIt() {
    writers.opened(1, FILE);
    writers.ended(1);
    assertTrue(writers.mayWrite(FILE));
    writers.opened(2, FILE);
    writers.closed(2, FILE, false, true, false);
    assertTrue(writers.mayWrite(FILE), "it has written nothing and knows nothing");
    writers.removed(FILE);
    assertFalse(writers.mayWrite(FILE));
    writers.opened(2, FILE);
    writers.closed(2, FILE, false, false, false);
    assertTrue(writers.mayWrite(FILE));
  }

  /** Somebody else may have written behind it. */
  @Test
  void shouldNotBelieveALengthThatMayHaveBeenSaidToTheManagerBefore() {
    writers.reclaimed(1, FILE, 1);
    writers.closed(1, FILE, true, false, true);
    assertTrue(writers.mayWrite(FILE));
    writers.opened(2, FILE);
    writers.closed(2, FILE, true, false, false);
    assertFalse(writers.mayWrite(FILE));
  }

  @Test
  void shouldCountNoCloseOfOneWhoHasItNotOpen() {
    writers.opened(1, FILE);
    writers.closed(2, FILE, true, false, false);
    assertTrue(writers.mayWrite(FILE));
  }
}
