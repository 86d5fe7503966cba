package dev.weft.dsm.mmu;

import dev.weft.dsm.mmu.MappedArray.Resolution;
import dev.weft.dsm.node.DsmNode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The faults of one application. A thread of its own reads them, resolves those that the node has the right for, and asks the protocol for the others
 * without waiting. When the right arrives, the receive context puts the page in place. The thread lives until the process has ended, or says goodbye.
 */
final class ServedApplication implements Runnable {
  /** Limit of faults that the protocol has not answered; further faults wait in the kernel. */
  static final int ASKED_MAX = 1024;
  private static final Logger LOG = LoggerFactory.getLogger(ServedApplication.class);
  private static final int READ_AT_ONCE = 16;
  private static final int FAULTS = 1;
  private static final int PROCESS_ENDED = 2;
  private static final int WOKEN = 4;

  /** A waiting fault. */
  private record Stalled(MappedArray array, int index, long address, long flags) {}

  final int number;
  final int pid;
  private final MmuServer server;
  private final DsmNode node;
  private final ViewManager manager;
  private final UserFault faults;
  private final int process;
  private final int lifeline;
  private final int wake;
  private final AtomicInteger asked = new AtomicInteger();
  /** Answers that the receive context could not handle at once; not more than were asked for. */
  private final ConcurrentLinkedQueue<Stalled> again = new ConcurrentLinkedQueue<>();
  private volatile boolean leaving;
  private volatile boolean isCutOff;
  private volatile String problem = "";
  private boolean isTold;
  private boolean closed;

  /**
   * @param process descriptor of the process, which tells when it has ended
   * @param lifeline end of a pipe; closing it, also by the end of this JVM, sends the application a signal
   */
  ServedApplication(MmuServer server, DsmNode node, ViewManager manager, int number, int pid, UserFault faults, int process, int lifeline) {
    this.server = server;
    this.node = node;
    this.manager = manager;
    this.number = number;
    this.pid = pid;
    this.faults = faults;
    this.process = process;
    this.lifeline = lifeline;
    this.wake = LinuxCalls.eventFd();
    faults.whenBroken(this::cutOff);
    faults.whenPoisoned(why -> problem = why);
  }

  UserFault faults() {
    return faults;
  }

  /** Why one of its pages was poisoned last; empty if none was. */
  String problem() {
    return problem;
  }

  /** The application cannot be served any more: its thread ends it soon. Any thread; does not wait. */
  private void cutOff(String why) {
    problem = why;
    isCutOff = true;
    leave();
  }

  /** The application has unmapped its views. */
  void leave() {
    leaving = true;
    wakeUp();
  }

  @Override
  public void run() {
    MemorySegment messages = Arena.ofAuto().allocate((long) READ_AT_ONCE * UserFault.MESSAGE_BYTES, 8);
    try {
      while (!leaving) {
        int ready = LinuxCalls.poll(asked.get() >= ASKED_MAX ? FAULTS : 0, faults.fd(), process, wake);
        if ((ready & PROCESS_ENDED) != 0) {
          return;
        }
        if ((ready & WOKEN) != 0) {
          LinuxCalls.clear(wake);
          for (Stalled next = again.poll(); next != null; next = again.poll()) {
            serve(next);
          }
        }
        if ((ready & FAULTS) != 0) {
          read(messages);
        }
      }
    } catch (RuntimeException failed) {
      LOG.error("faults of process {} cannot be served any more", pid, failed);
      cutOff(String.valueOf(failed.getMessage()));
    } finally {
      if (isCutOff) {
        LOG.warn("this node serves process {} no more, and sends it SIGIO: {}", pid, problem);
      }
      server.ended(this, isCutOff);
    }
  }

  private void read(MemorySegment messages) {
    long bytes = faults.read(messages);
    if (bytes <= 0 && bytes != LinuxCalls.EAGAIN && bytes != LinuxCalls.EINTR) {
      cutOff("its page faults cannot be read: " + (bytes == 0 ? "nothing comes" : LinuxCalls.errorName(bytes)));
    }
    for (long at = 0; at + UserFault.MESSAGE_BYTES <= bytes; at += UserFault.MESSAGE_BYTES) {
      if (messages.get(ValueLayout.JAVA_BYTE, at + UserFault.EVENT_AT) == UserFault.EVENT_FAULT) {
        long address = messages.get(ValueLayout.JAVA_LONG, at + UserFault.ADDRESS_AT);
        Stalled stalled = find(address / server.pageBytes() * server.pageBytes(), messages.get(ValueLayout.JAVA_LONG, at + UserFault.FLAGS_AT));
        if (stalled != null) {
          serve(stalled);
        } else {
          problem = "it has touched " + Long.toHexString(address) + ", which is in no view that the node was told of";
          faults.poison(address / server.pageBytes() * server.pageBytes(), server.pageBytes());
        }
      } else if (messages.get(ValueLayout.JAVA_BYTE, at + UserFault.EVENT_AT) == UserFault.EVENT_FORK) {
        LinuxCalls.close(messages.get(ValueLayout.JAVA_INT, at + UserFault.FLAGS_AT)); // The descriptor of a child process, which is not served.
      }
    }
  }

  private Stalled find(long address, long flags) {
    manager.lock();
    try {
      for (MappedArray array : server.arrays()) {
        int index = array.indexOf(number, address);
        if (index >= 0) {
          return new Stalled(array, index, address, flags);
        }
      }
      return null;
    } finally {
      manager.unlock();
    }
  }

  /** Must not run in the receive context. */
  private void serve(Stalled stalled) {
    manager.lock();
    Resolution resolution;
    try {
      resolution = resolve(stalled);
    } finally {
      manager.unlock();
    }
    if (resolution == Resolution.NO_RIGHT) {
      ask(stalled);
    }
  }

  private Resolution resolve(Stalled stalled) {
    if (stalled.array.isOver()) {
      problem = stalled.array.whyOver();
    }
    return stalled.array.resolve(number, stalled.index, stalled.address, stalled.flags);
  }

  private void ask(Stalled stalled) {
    asked.incrementAndGet();
    try {
      node.fault(stalled.array.table(), stalled.index, MappedArray.wanted(stalled.flags), why -> answered(stalled, why));
    } catch (IllegalStateException left) {
      asked.decrementAndGet();
      manager.lock();
      try {
        fail(stalled, left.getMessage());
      } finally {
        manager.unlock();
      }
    }
  }

  private void fail(Stalled stalled, String why) {
    problem = why;
    stalled.array.poison(number, stalled.index);
  }

  /** Called in the receive context: installs the page at once, unless the views are being changed. */
  private void answered(Stalled stalled, String why) {
    boolean isDone = false;
    if (manager.tryLock()) {
      try {
        if (why != null) {
          fail(stalled, why);
          isDone = true;
        } else {
          isDone = resolve(stalled) == Resolution.RESOLVED;
        }
      } catch (RuntimeException failed) {
        LOG.error("a page of process {} cannot be put in place", pid, failed);
        isDone = true;
      } finally {
        manager.unlock();
      }
    }
    if (!isDone) {
      again.add(stalled); // Asks again, which finds the same error if there was one.
    }
    asked.decrementAndGet();
    if (!isDone || asked.get() == ASKED_MAX - 1) {
      wakeUp();
    }
  }

  private synchronized void wakeUp() {
    if (!closed) {
      LinuxCalls.signal(wake);
    }
  }

  /** Tells the application by SIGIO that its node ends; its pages stay for now. */
  synchronized void tellOfTheEnd() {
    if (!isTold) {
      isTold = true;
      LinuxCalls.close(lifeline);
    }
  }

  /** Closes its files. */
  synchronized void close() {
    closed = true;
    faults.close();
    LinuxCalls.close(process);
    tellOfTheEnd();
    LinuxCalls.close(wake);
  }
}
