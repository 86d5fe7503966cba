package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;

/** What a verb says that is not done. */
public final class Refusal {
  private Refusal() {}

  /** Calls the verb and asserts that it is refused with that number. */
  public static void refused(VerbsException.Errno errno, Executable verb) {
    VerbsException e = assertThrows(VerbsException.class, verb);
    assertEquals(errno, e.errno(), e.getMessage());
  }
}
