package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedSpace;
import java.util.function.Consumer;

/** Runs that tests of all applications do. */
final class Runs {
  private static final int[] COUNTS = {2, 3, 5};

  private Runs() {}

  static Outcome assertVerified(Outcome outcome) {
    assertTrue(outcome.passed() && !outcome.checks().isEmpty(), outcome.toString());
    return outcome;
  }

  /** Sequential, and with 2, 3 and 5 threads; all verified, and equal to the sequential one. */
  static void assertSameWithAnyNumberOfThreads(Application application, String size) {
    Outcome sequential = assertVerified(LocalRun.sequential(application, size));
    for (int count : COUNTS) {
      Outcome shared = assertVerified(LocalRun.threads(application, size, count));
      Check same = shared.against(sequential);
      assertTrue(same.passed(), application.name() + " with " + count + " workers: " + same);
    }
  }

  /** What {@code fault} does to the shared memory before verification is found by that check. */
  static void assertFound(String check, Application application, String size, Consumer<SharedSpace> fault) {
    assertFails(check, application, size, new LocalRun.Between(space -> { }, fault));
  }

  /** The same of what it does before the run. */
  static void assertFoundOfInput(String check, Application application, String size, Consumer<SharedSpace> fault) {
    assertFails(check, application, size, new LocalRun.Between(fault, space -> { }));
  }

  private static void assertFails(String check, Application application, String size, LocalRun.Between between) {
    assertVerified(LocalRun.threads(application, size, 2));
    Outcome outcome = LocalRun.threads(application, size, 2, between);
    assertFalse(outcome.checks().stream().filter(one -> one.name().equals(check)).findFirst().orElseThrow().passed(), outcome.toString());
    assertFalse(outcome.passed());
  }
}
