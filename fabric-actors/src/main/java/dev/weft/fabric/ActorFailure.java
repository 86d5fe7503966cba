package dev.weft.fabric;

/** What an actor ends with. Akka takes some errors (out of memory, stack overflow) for none of the actor's, and ends the JVM for them. */
public final class ActorFailure {
  private ActorFailure() {}

  /** To be thrown by an actor that failed so: what it threw itself, or an exception with that error as its cause. */
  public static RuntimeException of(Throwable thrown) {
    return thrown instanceof RuntimeException failure ? failure : new IllegalStateException(thrown.toString(), thrown);
  }
}
