package dev.weft.lab.seed002;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed002.RegistrationExperiment.Result;
import dev.weft.lab.seed002.RegistrationExperiment.Setup;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Figure 13 of seed 002. */
@Timeout(180)
class RegistrationExperimentTest {
  private static final HardwareProfile XEON = HardwareProfile.load("ib-2003-xeon");
  private static final long STORE = 556L << 20;
  private static final int BYTES = 64 << 10;

  private static Setup setup(Strategy strategy, int hitPercent, int operations) {
    return new Setup(strategy, hitPercent, BYTES, operations, operations / 10, STORE);
  }

  @ParameterizedTest
  @CsvSource({"20", "80"})
  void shouldHitAsOftenAsAsked(int percent) {
    Result result = RegistrationExperiment.virtual(XEON, 1, setup(Strategy.PIN_DOWN_CACHE, percent, 200));
    assertEquals(percent / 100.0, result.stats().hitRatio(), 0.001);
    assertTrue(result.stats().evictions() > 0 && result.stats().regions() == 20, result::toString);
  }

  @Test
  void shouldBeFasterTheLessIsRegistered() {
    double dynamic = virtual(Strategy.DYNAMIC, 80);
    double pinned20 = virtual(Strategy.PIN_DOWN_CACHE, 20);
    double pinned80 = virtual(Strategy.PIN_DOWN_CACHE, 80);
    double fast20 = virtual(Strategy.FMRD, 20);
    double fast80 = virtual(Strategy.FMRD, 80);
    double none = virtual(Strategy.STATIC, 80);
    assertTrue(dynamic < pinned20 && pinned20 < pinned80 && pinned20 < fast20 && pinned80 < fast80 && fast80 < none,
        dynamic + " " + pinned20 + " " + pinned80 + " " + fast20 + " " + fast80 + " " + none);
  }

  private static double virtual(Strategy strategy, int hitPercent) {
    return RegistrationExperiment.virtual(XEON, 1, setup(strategy, hitPercent, 50)).bytesPerSecond();
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void shouldTakeLongerByWhatTheStrategyCharges(Strategy strategy) {
    double none = RegistrationExperiment.virtual(XEON, 1, setup(Strategy.STATIC, 20, 50)).totalNs();
    Setup setup = setup(strategy, 20, 50);
    double expected = strategy == Strategy.STATIC ? none : none + RegistrationExperiment.registrationNs(XEON, 1, setup);
    assertEquals(expected, RegistrationExperiment.virtual(XEON, 1, setup).totalNs(), expected * 0.01);
  }

  @ParameterizedTest
  @EnumSource(Strategy.class)
  void shouldGiveTheSameResultTwiceFromTheSameSeed(Strategy strategy) {
    Setup setup = setup(strategy, 20, 30);
    assertEquals(RegistrationExperiment.virtual(XEON, 5, setup), RegistrationExperiment.virtual(XEON, 5, setup));
  }

  /** Times are not asserted on; that nothing is registered where it is cached is what makes the order. */
  @ParameterizedTest
  @EnumSource(Strategy.class)
  void shouldRunInRealTime(Strategy strategy) throws InterruptedException {
    Setup setup = new Setup(strategy, 80, BYTES, 100, 10, STORE);
    Set<Thread> others = pollers();
    Result result = RegistrationExperiment.real(setup, 1, ConfigFactory.empty());
    System.out.println(strategy + " " + result.operationNs() / 1e3 + " us " + result.stats());
    long misses = switch (strategy) {
      case STATIC -> 1;
      case DYNAMIC -> 100;
      case PIN_DOWN_CACHE, FMRD, UNPINNED -> 20;
    };
    assertEquals(misses, result.stats().misses());
    assertEquals(0, result.stats().inUse());
    Set<Thread> left = pollers();
    left.removeAll(others);
    for (Thread poller : left) {
      assertTrue(poller.join(Duration.ofSeconds(30)), "a poller that goes on takes a processor from the next run: " + poller);
    }
  }

  private static Set<Thread> pollers() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("weft-poll-server-"))
        .collect(Collectors.toSet());
  }
}
