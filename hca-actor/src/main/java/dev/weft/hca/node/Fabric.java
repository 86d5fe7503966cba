package dev.weft.hca.node;

import dev.weft.fabric.node.Advert;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.WorkCompletion;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * A fabric that a program brings with it: within one JVM ({@link LocalFabric}), in virtual time ({@link VirtualFabric}), or with other JVMs
 * ({@link ClusterFabric}). A program that waits by {@code await} runs on each of them. See docs/guides/embedding.md.
 */
public interface Fabric extends DeviceHost, AutoCloseable {
  /**
   * Adds a host with its HCA, and waits until it is on the fabric.
   *
   * @param name unique in the fabric
   * @throws IllegalArgumentException if the name is taken, or none
   */
  Node addNode(String name);

  /**
   * Closes one node, with whatever is outstanding: its requests are flushed and whoever waits for it is woken, its peers are told that their
   * connections have ended, and its name is free. See {@link dev.weft.hca.verbs.Hca#close}. Waits for its actors, except on the hardware thread.
   *
   * @throws IllegalArgumentException if this JVM has no node of that name
   */
  void closeNode(String name);

  /**
   * Tells the whole fabric what a service offers at a node of this JVM; {@link dev.weft.fabric.node.Directory#adverts} shows it. It replaces
   * what that service offered there before, and ends with the node.
   *
   * @return fails with an IllegalArgumentException that has the subnet manager's reason, if it does not take it. It waits as long as there is no
   *     subnet manager, and completes on a thread that must not be blocked
   */
  CompletionStage<Void> advertise(Advert advert);

  /**
   * Waits; in virtual time, lets time pass. Not on the hardware thread.
   *
   * @param until cheap and without effects; read on several threads
   * @return whether {@code until} holds; false after {@code max}
   * @throws IllegalStateException if the fabric was closed meanwhile and it does not hold
   */
  boolean await(BooleanSupplier until, Duration max);

  /**
   * Tells hardware actors something, and waits as {@link #await(BooleanSupplier, Duration)} does. What {@code first} tells wakes no other thread where
   * this one does the work itself: that saves a switch of threads for each request.
   *
   * @param first runs once, at once, on the calling thread
   */
  default boolean await(Runnable first, BooleanSupplier until, Duration max) {
    first.run();
    return await(until, max);
  }

  /**
   * Waits for a result, for example of {@link dev.weft.hca.cm.ConnectionManager#connect}.
   *
   * @return the result
   * @throws IllegalStateException if there is none after {@code max}
   */
  default <T> T await(CompletionStage<T> stage, Duration max) {
    CompletableFuture<T> result = stage.toCompletableFuture();
    if (!await(result::isDone, max)) {
      throw new IllegalStateException("no result after " + max);
    }
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failed) {
        throw failed;
      }
      throw e;
    }
  }

  /**
   * Waits for a completion and polls it; whether it is a success must be looked at. Nobody else may poll the queue meanwhile.
   *
   * @throws IllegalStateException if there is none after {@code max}
   */
  default WorkCompletion await(CompletionQueue cq, Duration max) {
    WorkCompletion wc = new WorkCompletion();
    if (!await(() -> cq.size() > 0, max) || !cq.poll(wc)) {
      throw new IllegalStateException("no completion in " + cq + " after " + max);
    }
    return wc;
  }

  /** Ends the fabric with all nodes that this JVM carries. */
  @Override
  void close();
}
