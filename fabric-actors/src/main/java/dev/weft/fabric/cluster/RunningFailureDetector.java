package dev.weft.fabric.cluster;

import akka.event.EventStream;
import akka.remote.FailureDetector;
import akka.remote.PhiAccrualFailureDetector;
import com.typesafe.config.Config;
import dev.weft.fabric.time.RealClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import scala.Option;
import scala.concurrent.duration.FiniteDuration;

/**
 * Akka's failure detector, using the time for which this JVM ran. With the machine's time, all peers would seem silent after a pause of this JVM, in
 * which it could not receive their heartbeats.
 */
public final class RunningFailureDetector extends PhiAccrualFailureDetector {

  /** Called by Akka. */
  public RunningFailureDetector(Config config, EventStream events) {
    super(config.getDouble("threshold"), config.getInt("max-sample-size"), duration(config, "min-std-deviation"),
        duration(config, "acceptable-heartbeat-pause"), duration(config, "heartbeat-interval"), Option.apply(events), new RunningMs());
  }

  private static FiniteDuration duration(Config config, String key) {
    Duration duration = config.getDuration(key);
    return FiniteDuration.apply(duration.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static final class RunningMs extends FailureDetector.Clock {
    @Override
    public Object apply() {
      return TimeUnit.NANOSECONDS.toMillis(RealClock.INSTANCE.nowNs());
    }
  }
}
