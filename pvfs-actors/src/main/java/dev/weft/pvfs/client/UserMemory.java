package dev.weft.pvfs.client;

import dev.weft.hca.registration.Registration;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.Ranges;
import dev.weft.pvfs.wire.ShapedRanges;

/** The buffer manager: the program's memory, registered by a strategy for as long as a task uses it (seed 002 section 5.3). */
final class UserMemory {
  /** Pieces of a program's memory that go in one RDMA Write behind a request. */
  private static final int GATHERED_MAX = 3;

  private final RegistrationStrategy strategy;
  private int held;

  UserMemory(RegistrationStrategy strategy) {
    this.strategy = strategy;
  }

  /** Whether the memory of a write is registered already, so that it can be sent from where it lies; then it stays so as long as the task uses it. */
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

  /** Adds the data of a write by {@link dev.weft.pvfs.wire.Band#FAST}: from where it lies, or from the buffer that it was copied to. */
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
   * Where the daemon finds the memory of a request.
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

  /** The same of a request with a shape, whose task has one piece of memory: the part of the shape begins where its data does. */
  ShapedRanges describe(DaemonTask part) {
    IoTask task = part.task;
    return part.shaped.at(task.memory[0].address() + part.shaped.position() - task.shapeStart(), register(task, 0).rkey());
  }

  /** Its registration is of no use then: whoever goes through it loses its connection. */
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

  /** By which this node's own requests reach a segment of a task that was described. */
  int lkey(IoTask task, int segment) {
    return task.registration(segment).lkey();
  }

  /** The task does not use its memory any more. */
  void release(IoTask task) {
    for (int i = 0; i < task.memory.length; i++) {
      if (task.registration(i) != null) {
        strategy.release(task.registration(i));
        task.register(i, null);
        held--;
      }
    }
  }

  /** Registrations that tasks hold. */
  int held() {
    return held;
  }

  RegistrationStrategy strategy() {
    return strategy;
  }
}
