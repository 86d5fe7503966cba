package dev.weft.pager.service;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which JVMs that have joined must be served, and serves or withdraws them. A failed step is undone, logged once and tried again at the next
 * look; it does not affect other JVMs. One thread at a time calls {@link #look}; any thread may read {@link #devices}.
 *
 * @param <D> a device
 */
final class JoinedExports<D> {
  private static final Logger LOG = LoggerFactory.getLogger(JoinedExports.class);

  /** The steps of serving a node. Each may throw. */
  interface Steps<D> {
    D open(String node);

    void serve(String node, D device);

    /** Undoes {@link #serve}, even if it has failed in the middle. */
    void withdraw(String node);

    void close(D device);
  }

  private final Steps<D> steps;
  private final Map<String, D> devices = new ConcurrentSkipListMap<>();
  /** The last logged problem of each node that cannot be served. */
  private final Map<String, String> problems = new LinkedHashMap<>();

  JoinedExports(Steps<D> steps) {
    this.steps = steps;
  }

  /** The devices that are served now, by node. */
  Map<String, D> devices() {
    return devices;
  }

  /** Serves new nodes and withdraws nodes that have left. Throws nothing, so that the next look takes place. */
  void look(Collection<String> nodes) {
    problems.keySet().retainAll(nodes);
    for (String node : nodes) {
      if (!devices.containsKey(node)) {
        attempt(node, () -> serve(node));
      }
    }
    for (String node : List.copyOf(devices.keySet())) {
      if (!nodes.contains(node)) {
        attempt(node, () -> leave(node));
      }
    }
  }

  private void serve(String node) {
    D device = steps.open(node);
    try {
      steps.serve(node, device);
      devices.put(node, device);
    } catch (RuntimeException | Error e) {
      try {
        steps.withdraw(node);
      } finally {
        steps.close(device);
      }
      throw e;
    }
    LOG.info("{} has joined; its memory is export '{}'", node, node);
  }

  private void leave(String node) {
    D device = devices.remove(node);
    try {
      steps.withdraw(node);
    } finally {
      steps.close(device);
    }
    LOG.info("{} has left; its export is gone", node);
  }

  private void attempt(String node, Runnable action) {
    try {
      action.run();
      problems.remove(node);
    } catch (RuntimeException | Error e) {
      String problem = e.toString();
      if (!problem.equals(problems.put(node, problem))) {
        LOG.warn("could not serve the export of {}: {}; retrying until it leaves", node, e.getMessage(), e instanceof Error ? e : null);
      }
    }
  }
}
