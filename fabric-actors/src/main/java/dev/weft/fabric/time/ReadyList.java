package dev.weft.fabric.time;

import akka.dispatch.Mailbox;
import java.util.Arrays;

/**
 * The mailboxes and tasks that can run now, sorted by (hash of the actor's path, sequence). Akka enqueues some of them in the
 * order of the actors' random uids, for example the watchers of a dead actor. Sorting by path before the random draw removes
 * that randomness.
 */
final class ReadyList {
  private static final int INITIAL_CAPACITY = 64;

  private final int max;
  private long[] hashes = new long[INITIAL_CAPACITY];
  private Runnable[] tasks = new Runnable[INITIAL_CAPACITY];
  private int size;

  ReadyList(int max) {
    this.max = max;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  long hashAt(int index) {
    return hashes[index];
  }

  void add(Runnable task) {
    if (size == max) {
      throw new IllegalStateException("more than weft.virtual-time.max-pending = " + max + " tasks are ready at once");
    }
    if (size == tasks.length) {
      int capacity = (int) Math.min(max, 2L * size);
      hashes = Arrays.copyOf(hashes, capacity);
      tasks = Arrays.copyOf(tasks, capacity);
    }
    long hash = task instanceof Mailbox mailbox ? pathHash(mailbox) : 0;
    int at = placeAfterEquals(hash);
    System.arraycopy(hashes, at, hashes, at + 1, size - at);
    System.arraycopy(tasks, at, tasks, at + 1, size - at);
    hashes[at] = hash;
    tasks[at] = task;
    size++;
  }

  Runnable remove(int index) {
    Runnable task = tasks[index];
    size--;
    System.arraycopy(hashes, index + 1, hashes, index, size - index);
    System.arraycopy(tasks, index + 1, tasks, index, size - index);
    tasks[size] = null;
    return task;
  }

  private int placeAfterEquals(long hash) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (hashes[middle] <= hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static long pathHash(Mailbox mailbox) {
    if (!(mailbox.messageQueue() instanceof VirtualMailbox.Queue queue)) {
      return hashOf(mailbox.actor().self().path().toStringWithoutAddress());
    }
    if (queue.pathHash == 0) {
      queue.pathHash = hashOf(mailbox.actor().self().path().toStringWithoutAddress());
    }
    return queue.pathHash;
  }

  /**
   * Returns a hash of the path without the actor's random uid; it is the same in every JVM. Akka numbers some of its own actors, such as
   * the event stream's, across all actor systems of a JVM; the hash leaves out these numbers.
   */
  private static long hashOf(String path) {
    int length = path.length();
    if (path.startsWith("/system/")) {
      while (Character.isDigit(path.charAt(length - 1))) {
        length--;
      }
    }
    long hash = length;
    for (int i = 0; i < length; i++) {
      hash = VirtualTime.mix(hash * 31 + path.charAt(i));
    }
    return hash;
  }
}
