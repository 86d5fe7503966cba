package dev.weft.fabric.dispatch;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import com.typesafe.config.Config;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * The hardware dispatcher of each actor system. It starts for the first view that Akka asks for, and ends with the last one. Once {@link
 * HardwareDispatcher#of} has returned it, it lives until the actor system ends.
 */
final class HardwareDispatchers {
  private static final class Entry {
    private final HardwareDispatcher dispatcher;
    private int views;
    private boolean pinned;

    Entry(HardwareDispatcher dispatcher) {
      this.dispatcher = dispatcher;
    }
  }

  /** By the key of the system; it also guards the entries. */
  private static final Map<Object, Entry> BY_SYSTEM = new HashMap<>();

  private HardwareDispatchers() {}

  static HardwareDispatcher of(ActorSystem<?> system) {
    String path = HardwareDispatcher.CONFIG_PATH;
    Config config = system.settings().config().getConfig(path);
    String executor = config.getString("executor");
    if (!executor.equals(HardwareExecutorConfigurator.class.getName())) {
      throw new IllegalStateException(
          path + ".executor is " + executor + ", so this system has no hardware dispatcher; it would have to be "
              + HardwareExecutorConfigurator.class.getName());
    }
    Executor akkaDispatcher = system.dispatchers().lookup(DispatcherSelector.fromConfig(path));
    Object key = Adapter.toClassic(system).settings();
    while (true) {
      akkaDispatcher.execute(() -> {}); // makes Akka ask the configurator for its executor
      synchronized (BY_SYSTEM) {
        Entry entry = BY_SYSTEM.get(key);
        if (entry != null) {
          if (!entry.pinned) {
            entry.pinned = true;
            Adapter.toClassic(system).registerOnTermination(entry.dispatcher::stop);
          }
          return entry.dispatcher;
        }
      }
    }
  }

  /** Returns a view of the system's dispatcher, and starts that if there is none. */
  static HardwareDispatcher obtain(Object key, HardwareDispatcherSettings settings, ThreadFactory threads) {
    synchronized (BY_SYSTEM) {
      Entry entry = BY_SYSTEM.get(key);
      if (entry == null) {
        entry = new Entry(new HardwareDispatcher(settings, threads));
        BY_SYSTEM.put(key, entry);
        entry.dispatcher.start();
      }
      entry.views++;
      return entry.dispatcher;
    }
  }

  /** Ends one view of a dispatcher. With the last view, the dispatcher ends, unless it belongs to its system for good. */
  static void release(HardwareDispatcher dispatcher) {
    boolean last = false;
    synchronized (BY_SYSTEM) {
      for (Entry entry : BY_SYSTEM.values()) {
        if (entry.dispatcher == dispatcher) {
          last = --entry.views == 0 && !entry.pinned;
        }
      }
    }
    if (last) {
      dispatcher.stop();
    }
  }

  /** Removes a dispatcher that ends, so that its system gets a new one. */
  static void forget(HardwareDispatcher dispatcher) {
    synchronized (BY_SYSTEM) {
      BY_SYSTEM.values().removeIf(entry -> entry.dispatcher == dispatcher);
    }
  }
}
