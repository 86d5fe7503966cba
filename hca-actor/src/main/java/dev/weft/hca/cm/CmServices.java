package dev.weft.hca.cm;

import dev.weft.hca.VerbsException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The services that one node offers. Any thread. */
public final class CmServices {
  private final ConcurrentHashMap<String, ConnectionListener> listeners = new ConcurrentHashMap<>();

  void add(String node, String service, ConnectionListener listener) {
    if (listeners.putIfAbsent(service, listener) != null) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "node " + node + " offers a service named " + service + " already");
    }
  }

  void remove(String service) {
    listeners.remove(service);
  }

  ConnectionListener find(String service) {
    return listeners.get(service);
  }

  /** Names of the services, sorted. */
  public List<String> names() {
    return listeners.keySet().stream().sorted().toList();
  }
}
