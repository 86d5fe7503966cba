package dev.weft.pvfs.client;

import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.Ranges;
import dev.weft.pvfs.wire.ShapedRanges;

/** The buffer manager: a strategy registers the program's memory while a task uses it (PVFS over InfiniBand, section 5.3). */
final class UserMemory {
  /** Pieces of the program's memory in one RDMA Write behind a request. */
  private static final int GATHERED_MAX = 3;

  private final RegistrationStrategy strategy;
  private int held;

  UserMemory(RegistrationStrategy strategy) {
    this.strategy = strategy;
  }

  /** Whether the memory of a write is registered already, so it can be sent directly. If so, it stays registered while the task uses it. */
  boolean keeps(DaemonTask part) {
    IoTask task = part.task;
    if (part.memory.count() > GATHERED_MAX) {
      return false;
    }
    for (int i = 0; i < part.memory.count(); i++) {
      int segment = part.memory.key(i);
      requireOpen(task, segment);
      if (task.registration(segment) == null) {
        Registration kept = strategy.acquireKept(task.memory[segment], Access.REMOTE_READ);
        if (kept == null) {
          return false;
        }
        task.register(segment, kept);
        held++;
      }
    }
    return true;
  }

  /** Adds the data of a write by {@link dev.weft.pvfs.wire.Band#FAST}: directly from the program's memory, or from the buffer with its copy. */
  void addFast(DaemonLink link, DaemonTask part, WorkRequest to) {
    if (!part.isGathered) {
      to.sge(link.fast, (long) part.fastSlot * link.slotBytes, (int) part.file.totalBytes());
      return;
    }
    for (int i = 0; i < part.memory.count(); i++) {
      int segment = part.memory.key(i);
      to.sge(part.task.memory[segment].address() + part.memory.offset(i), part.memory.bytes(i), lkey(part.task, segment));
    }
  }

  /**
   * Describes to the daemon where the memory of a request is.
   *
   * @throws IllegalStateException if it is closed
   */
  void describe(DaemonTask part, Ranges to) {
    for (int i = 0; i < part.memory.count(); i++) {
      int segment = part.memory.key(i);
      int rkey = register(part.task, segment).rkey();
      to.add(part.task.memory[segment].address() + part.memory.offset(i), part.memory.bytes(i), rkey);
    }
  }

  /**
   * As {@link #describe(DaemonTask, Ranges)}, for a request with a shape. The task has one piece of memory; the part of the shape begins where its
   * data does.
   */
  ShapedRanges describe(DaemonTask part) {
    IoTask task = part.task;
    return part.shaped.at(task.memory[0].address() + part.shaped.position() - task.shapeStart(), register(task, 0).rkey());
  }

  /** Throws if the memory is closed. Its registration is then useless, and an access through it would break the connection. */
  private static void requireOpen(IoTask task, int segment) {
    if (!task.memory[segment].scope().isAlive()) {
      throw new IllegalStateException("memory whose arena is closed: " + task.memory[segment]);
    }
  }

  private Registration register(IoTask task, int segment) {
    requireOpen(task, segment);
    Registration registration = task.registration(segment);
    if (registration == null) {
      registration = strategy.acquire(task.memory[segment], task.op == DaemonOp.WRITE ? Access.REMOTE_READ : Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      task.register(segment, registration);
      held++;
    }
    return registration;
  }

  /** Returns the key by which this node's own requests reach a registered segment of a task. */
  int lkey(IoTask task, int segment) {
    return task.registration(segment).lkey();
  }

  /** Releases the registrations of a task that no longer uses its memory. */
  void release(IoTask task) {
    for (int i = 0; i < task.memory.length; i++) {
      if (task.registration(i) != null) {
        strategy.release(task.registration(i));
        task.register(i, null);
        held--;
      }
    }
  }

  /** Returns the number of registrations that tasks hold. */
  int held() {
    return held;
  }

  RegistrationStrategy strategy() {
    return strategy;
  }
}
