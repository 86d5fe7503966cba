package dev.weft.fabric.admission;

import akka.actor.ActorSystem;
import akka.event.EventStream;
import akka.event.LogMarker;
import akka.event.slf4j.Slf4jLoggingFilter;
import java.util.Set;

/**
 * A logging filter for a fabric with a secret. Akka logs a stack trace for each message that it cannot read, so any program that reaches the
 * port could fill the disk. The filter passes one such entry at a time, {@link SeldomLog}, because its cause may differ from those that {@link
 * AuthenticatedSerializer} counts. Any thread.
 */
public final class QuietRefusals extends Slf4jLoggingFilter {
  private static final Set<String> QUIET = Set.of("akka.remote.artery.Deserializer", "akka.remote.artery.Decoder");

  private final SeldomLog seldom = new SeldomLog();

  /** Called by Akka. */
  public QuietRefusals(ActorSystem.Settings settings, EventStream events) {
    super(settings, events);
  }

  @Override
  public boolean isErrorEnabled(Class<?> logClass, String logSource) {
    return super.isErrorEnabled(logClass, logSource) && mayLog(logClass);
  }

  @Override
  public boolean isErrorEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return super.isErrorEnabled(logClass, logSource, marker) && mayLog(logClass);
  }

  @Override
  public boolean isWarningEnabled(Class<?> logClass, String logSource) {
    return super.isWarningEnabled(logClass, logSource) && mayLog(logClass);
  }

  @Override
  public boolean isWarningEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return super.isWarningEnabled(logClass, logSource, marker) && mayLog(logClass);
  }

  private boolean mayLog(Class<?> logClass) {
    return !QUIET.contains(logClass.getName()) || seldom.mayLog();
  }
}
