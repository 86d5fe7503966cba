package dev.weft.lab.trials.mpi;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.tripwire.mpi.VirtualJob;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The programs find what is published, on any number of ranks, in virtual time. */
@Tag("slow")
@Tag("simulation")
@Timeout(180)
class ExamplesTest {
  @ParameterizedTest
  @CsvSource({"ring,1", "ring,3", "pi,4", "is,1", "is,3", "is,8", "ep,3"})
  void shouldBeVerified(String name, int ranks) {
    Outcome[] outcomes = new Outcome[ranks];
    try (VirtualJob job = new VirtualJob(ranks, ranks, "weft.tripwire.mpi.ring = 8 KiB, weft.tripwire.mpi.eager-max = 1 KiB")) {
      job.run((mpi, me) -> outcomes[mpi.world().rank()] = Examples.named(name).run(mpi.world())).expectSuccess();
    }
    System.out.println(name + " " + outcomes[0]);
    assertTrue(outcomes[0].isVerified(), outcomes[0].toString());
  }

  @Test
  void shouldSayWhatThereIs() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> Examples.named("lu")).getMessage().contains("ring, pi, ep, is"));
  }
}
