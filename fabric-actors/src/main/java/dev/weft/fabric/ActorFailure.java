package dev.weft.fabric;

/** Makes an exception that ends only an actor. Akka treats some errors (out of memory, stack overflow) as fatal and ends the JVM. */
public final class ActorFailure {
  private ActorFailure() {}

  /** Returns {@code thrown} if it is a RuntimeException, else an IllegalStateException with {@code thrown} as its cause. The failed actor throws the result. */
  public static RuntimeException of(Throwable thrown) {
    return thrown instanceof RuntimeException failure ? failure : new IllegalStateException(thrown.toString(), thrown);
  }
}
