package dev.weft.fabric.admission;

import akka.actor.ActorSystem;
import akka.event.EventStream;
import akka.event.LogMarker;
import akka.event.slf4j.Slf4jLoggingFilter;
import java.util.Set;

/**
 * Keeps what Akka tells, with a stack trace, of each message that it cannot read out of the log of a fabric with a secret: whoever reaches
 * the port could fill the disk. {@link AuthenticatedSerializer} counts them and tells once in a while. Any thread.
 */
public final class QuietRefusals extends Slf4jLoggingFilter {
  private static final Set<String> QUIET = Set.of("akka.remote.artery.Deserializer", "akka.remote.artery.Decoder");

  /** Called by Akka. */
  public QuietRefusals(ActorSystem.Settings settings, EventStream events) {
    super(settings, events);
  }

  @Override
  public boolean isErrorEnabled(Class<?> logClass, String logSource) {
    return !QUIET.contains(logClass.getName()) && super.isErrorEnabled(logClass, logSource);
  }

  @Override
  public boolean isErrorEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return !QUIET.contains(logClass.getName()) && super.isErrorEnabled(logClass, logSource, marker);
  }

  @Override
  public boolean isWarningEnabled(Class<?> logClass, String logSource) {
    return !QUIET.contains(logClass.getName()) && super.isWarningEnabled(logClass, logSource);
  }

  @Override
  public boolean isWarningEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return !QUIET.contains(logClass.getName()) && super.isWarningEnabled(logClass, logSource, marker);
  }
}
