package dev.weft.lab.seed000;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed000.ReceiveContextExperiment.Result;
import dev.weft.lab.seed000.ReceiveContextExperiment.Setup;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Table 1 of seed 000. The test knows the paper's values; the experiment does not. */
@Tag("slow")
@Isolated("It measures in real time.")
class ReceiveContextExperimentTest {
  private static final HardwareProfile P3 = HardwareProfile.load("ib-2003-p3");
  private static final int ROUNDS = 1_000;

  private static Result virtual(ReceiveContext context, int load) {
    return ReceiveContextExperiment.virtual(P3, 1, Setup.of(context, ROUNDS, load));
  }

  /** Rows dsm.t1.*, all calibrate. */
  @ParameterizedTest
  @CsvSource({"POLLING, 45", "ISR, 60", "TASK_QUEUE, 70", "PROCESS, 90"})
  void shouldBeWithinThreePercentOfTheTableItIsCalibratedOn(ReceiveContext context, double paperUs) {
    Result result = virtual(context, 0);
    assertEquals(ROUNDS, result.roundTrips().getTotalCount());
    assertEquals(paperUs, result.meanNs() / 1e3, 0.03 * paperUs, result::toString);
    assertEquals(paperUs, result.p50Ns() / 1e3, 0.03 * paperUs, result::toString);
  }

  @ParameterizedTest
  @EnumSource(ReceiveContext.class)
  void shouldGiveTheSameResultTwiceFromTheSameSeed(ReceiveContext context) {
    Result one = virtual(context, 2);
    Result two = virtual(context, 2);
    assertEquals(one.traceHash(), two.traceHash());
    assertEquals(one.roundTrips(), two.roundTrips());
    assertEquals(one.cpu(), two.cpu());
    assertNotEquals(one.traceHash(), ReceiveContextExperiment.virtual(P3, 2, Setup.of(context, ROUNDS, 2)).traceHash());
  }

  /** One hog per processor: interrupts do not wait for it, a process pays for the hog's cache, a poller loses its processor to it. */
  @Test
  void shouldSufferFromLoadTheMoreTheMoreItNeedsTheScheduler() {
    Result isr = virtual(ReceiveContext.ISR, 2);
    Result queue = virtual(ReceiveContext.TASK_QUEUE, 2);
    Result process = virtual(ReceiveContext.PROCESS, 2);
    Result polling = ReceiveContextExperiment.virtual(P3, 1, Setup.of(ReceiveContext.POLLING, 20 * ROUNDS, 2));
    assertTrue(isr.p50Ns() < queue.p50Ns() && queue.p50Ns() < process.p50Ns(), () -> isr + "\n" + queue + "\n" + process);
    assertTrue(process.p50Ns() > virtual(ReceiveContext.PROCESS, 0).p50Ns(), process::toString);
    assertEquals(virtual(ReceiveContext.ISR, 0).p50Ns(), isr.p50Ns(), "an interrupt preempts what runs");
    assertTrue(polling.p50Ns() < isr.p50Ns(), polling::toString);
    assertTrue(polling.roundTrips().getMaxValue() > P3.cpu().timeSliceNs() / 2, polling::toString);
  }

  /** Seed 000 section 5.1: an application's process has no credit saved, so load hits its signals and not interrupts. */
  @Test
  void shouldMakeAProcessThatComputesWaitForItsSlice() {
    Result process = computing(ReceiveContext.PROCESS, 2);
    Result isr = computing(ReceiveContext.ISR, 2);
    assertTrue(computing(ReceiveContext.PROCESS, 0).meanNs() * 1.3 < process.meanNs(), process::toString);
    assertEquals(computing(ReceiveContext.ISR, 0).p50Ns(), isr.p50Ns());
    assertTrue(process.roundTrips().getMaxValue() > P3.cpu().timeSliceNs() / 2, process::toString);
  }

  private static Result computing(ReceiveContext context, int load) {
    return ReceiveContextExperiment.virtual(P3, 1, new Setup(context, 10 * ROUNDS, 10, load, 64, true, 0));
  }

  @Test
  void shouldSaveTheInterruptOfAReplyThatIsPolledSelectively() {
    Result waits = ReceiveContextExperiment.virtual(P3, 1, new Setup(ReceiveContext.ISR, ROUNDS, 10, 0, 64, false, 1));
    Result polls = ReceiveContextExperiment.virtual(P3, 1, new Setup(ReceiveContext.ISR, ROUNDS, 10, 0, 64, false, 1_000_000));
    assertTrue(polls.p50Ns() < waits.p50Ns() - P3.cpu().interruptNs() / 2, () -> polls + "\n" + waits);
    assertEquals(ROUNDS + 10, polls.client().pollPhases());
    assertEquals(0, polls.client().pollTimeouts());
    assertEquals(ROUNDS + 10, waits.client().pollTimeouts(), "1 ns is too short for any reply, and the interrupt serves it");
  }

  @ParameterizedTest
  @EnumSource(ReceiveContext.class)
  void shouldPlayTheSameGameInRealTimeIdleAndLoaded(ReceiveContext context) throws InterruptedException {
    for (int load = 0; load < 2; load++) {
      Result result = ReceiveContextExperiment.real(Setup.of(context, 300, load), ConfigFactory.empty());
      assertEquals(300, result.roundTrips().getTotalCount());
      assertTrue(result.server().completions() >= 330, () -> context + " " + result.server());
    }
  }

  @Test
  void shouldGatherTheRoundTripsOfAllTurnsButTheFirst() throws InterruptedException {
    List<Setup> setups = List.of(Setup.of(ReceiveContext.ISR, 50, 0), Setup.of(ReceiveContext.PROCESS, 70, 0));
    List<Result> results = ReceiveContextExperiment.inTurns(setups, 2, ConfigFactory.empty());
    assertEquals(setups, results.stream().map(Result::setup).toList());
    assertEquals(List.of(100L, 140L), results.stream().map(r -> r.roundTrips().getTotalCount()).toList());
  }

  @Test
  void shouldPollSelectivelyInRealTimeToo() throws InterruptedException {
    Result result = ReceiveContextExperiment.real(new Setup(ReceiveContext.ISR, 300, 0, 0, 64, false, 50_000_000), ConfigFactory.empty());
    assertEquals(300, result.roundTrips().getTotalCount());
    assertTrue(result.client().pollPhases() > 0, () -> result.client().toString());
  }

  @Test
  void shouldRefuseASetupOutOfRange() {
    assertThrows(IllegalArgumentException.class, () -> new Setup(ReceiveContext.ISR, 0, 0, 0, 64, false, 0));
    assertThrows(IllegalArgumentException.class, () -> new Setup(ReceiveContext.ISR, 1, 0, 0, 4, false, 0));
  }
}
