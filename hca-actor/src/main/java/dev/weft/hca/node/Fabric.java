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
 * A fabric that a program embeds: within one JVM ({@link LocalFabric}), in virtual time ({@link VirtualFabric}), or with other JVMs
 * ({@link ClusterFabric}). A program that waits only by {@code await} runs on each of them. See docs/guides/embedding.md.
 */
public interface Fabric extends DeviceHost, AutoCloseable {
  /**
   * Adds a host with its HCA, and waits until it is on the fabric.
   *
   * @param name unique in the fabric
   * @throws IllegalArgumentException if the name is taken or invalid
   */
  Node addNode(String name);

  /**
   * Closes one node. Flushes its outstanding requests, wakes the threads that wait for them, tells its peers that their connections have ended, and frees
   * its name. See {@link dev.weft.hca.verbs.Hca#close}. Waits until the node's actors have ended, except on the hardware thread.
   *
   * @throws IllegalArgumentException if this JVM has no node of that name
   */
  void closeNode(String name);

  /**
   * Tells the whole fabric what a service offers at a node of this JVM; {@link dev.weft.fabric.node.Directory#adverts} shows it. The advert replaces an
   * earlier one of that service at the node, and ends with the node.
   *
   * @return completes when the subnet manager has accepted the advert; fails with an IllegalArgumentException that has its reason if it rejects it.
   *     Remains incomplete while the fabric has no subnet manager. Completes on a thread that must not block
   */
  CompletionStage<Void> advertise(Advert advert);

  /**
   * Waits for a condition; in virtual time, lets time pass. Not on the hardware thread.
   *
   * @param until cheap and without side effects; several threads call it
   * @return whether {@code until} holds; false after {@code max}
   * @throws IllegalStateException if the fabric is closed during the wait and {@code until} does not hold
   */
  boolean await(BooleanSupplier until, Duration max);

  /**
   * Sends messages to hardware actors, then waits as {@link #await(BooleanSupplier, Duration)} does. If this thread can run the hardware actors itself,
   * the messages wake no other thread, which saves a thread switch for each request.
   *
   * @param first sends the messages; runs once, immediately, on the calling thread
   */
  default boolean await(Runnable first, BooleanSupplier until, Duration max) {
    first.run();
    return await(until, max);
  }

  /**
   * Waits for a result, for example of {@link dev.weft.hca.cm.ConnectionManager#connect}.
   *
   * @return the result
   * @throws IllegalStateException if there is no result after {@code max}
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
   * Waits for a completion and polls it. The caller must check its status. No other thread may poll the queue during the wait.
   *
   * @throws IllegalStateException if there is no completion after {@code max}
   */
  default WorkCompletion await(CompletionQueue cq, Duration max) {
    WorkCompletion wc = new WorkCompletion();
    if (!await(() -> cq.size() > 0, max) || !cq.poll(wc)) {
      throw new IllegalStateException("no completion in " + cq + " after " + max);
    }
    return wc;
  }

  /** Closes the fabric with all nodes of this JVM. */
  @Override
  void close();
}
