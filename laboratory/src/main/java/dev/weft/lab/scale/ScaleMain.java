package dev.weft.lab.scale;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A JVM that measures: alone, because heap and compiled code of anything else would count. Its arguments are profile, seed, hosts and
 * messages; it prints a JSON array of {@link ScaleCost}.
 */
public final class ScaleMain {
  private static final int[] SMALL = {10, 100};
  /** What the compiler needs to see before anything counts. */
  private static final long WARMUP_MESSAGES = 150_000;
  private static final long SMALL_MESSAGES_MAX = 400_000;

  private ScaleMain() {}

  /** Measures and prints. */
  public static void main(String[] arguments) throws Exception {
    HardwareProfile profile = HardwareProfile.load(arguments[0]);
    Size size = new Size(Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]));
    System.out.println(new ObjectMapper().writeValueAsString(measure(profile, Long.parseLong(arguments[1]), size)));
  }

  /** Ten hosts, a hundred, and as many as asked for; the smaller ones only as far as they are smaller. */
  static List<ScaleCost> measure(HardwareProfile profile, long seed, Size size) {
    long warmup = Math.min(WARMUP_MESSAGES, size.messages());
    for (int hosts : SMALL) {
      alone(profile, seed, hosts, warmup);
    }
    List<ScaleCost> costs = new ArrayList<>();
    for (int hosts : SMALL) {
      if (hosts < size.hosts()) {
        costs.add(alone(profile, seed, hosts, Math.min(SMALL_MESSAGES_MAX, size.messages())));
      }
    }
    costs.add(alone(profile, seed, size.hosts(), size.messages()));
    return costs;
  }

  /** On a thread of its own, because Akka's thread-local variables keep a whole closed cluster reachable. */
  private static ScaleCost alone(HardwareProfile profile, long seed, int hosts, long messages) {
    FutureTask<ScaleCost> run = new FutureTask<>(() -> ScaleCost.measure(profile, seed, hosts, messages));
    Thread thread = new Thread(run, "scale-" + hosts);
    thread.setDaemon(true);
    thread.start();
    try {
      return run.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring " + hosts + " hosts", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the run of " + hosts + " hosts failed: " + e.getCause().getMessage(), e.getCause());
    }
  }
}
