package dev.weft.pvfs.client;

import dev.weft.hca.link.Transport;
import dev.weft.hca.node.Node;
import dev.weft.hca.registration.HcaRegistrar;
import dev.weft.hca.registration.RegistrationSettings;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** State that a client's actor shares with its callers, and resources that it owns. */
final class ClientParts {
  /** Memory limit per kept registration; all of them share the sum. */
  private static final long REGISTERED_BYTES = 64L << 10;

  private final Node node;
  private final ClientSettings settings;
  private final List<DaemonAddress> daemons;
  private final ProtectionDomain pd;
  private final List<MemoryRegion> fast = new ArrayList<>();
  private final RegistrationStrategy strategy;
  private final Inbox<IoTask> inbox;
  private final CapabilitySource capabilities;
  private final Transport transport;
  private final Costs costs;
  private final LostChanges losses = new LostChanges(LostChanges.FILES_MAX);
  private volatile boolean reachesAll;

  /** @throws dev.weft.hca.verbs.VerbsException if the HCA has no room; nothing is held then */
  ClientParts(Node node, ClientSettings settings, List<DaemonAddress> daemons, CapabilitySource capabilities, Transport transport, Costs costs) {
    this.transport = transport;
    this.costs = costs;
    this.capabilities = capabilities;
    this.node = node;
    this.settings = settings;
    this.daemons = List.copyOf(daemons);
    this.inbox = new Inbox<>(settings.tasksMax(), task -> {
      task.fail(Errno.ESHUTDOWN);
      task.finish();
    });
    this.pd = node.hca().allocPd();
    try {
      long bytes = (long) settings.fastSlots() * PvfsClientActor.slotBytes(settings);
      for (int i = 0; i < daemons.size() && bytes > 0; i++) {
        fast.add(node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), bytes), Access.LOCAL_WRITE | Access.REMOTE_WRITE));
      }
      this.strategy = RegistrationStrategy.create(registration(settings), costs.registrar(new HcaRegistrar(node.hca(), pd)));
    } catch (RuntimeException | OutOfMemoryError refused) {
      fast.forEach(node.hca()::deregMr);
      node.hca().deallocPd(pd);
      throw refused;
    }
  }

  private static RegistrationSettings registration(ClientSettings settings) {
    RegistrationSettings usual = RegistrationSettings.of(settings.registration());
    long bytesMax = Math.max(usual.bytesMax(), settings.registrationEntries() * REGISTERED_BYTES);
    int batchMax = Math.clamp(settings.registrationEntries() / 2, 2, usual.batchMax());
    return new RegistrationSettings(usual.strategy(), settings.registrationEntries(), bytesMax, batchMax, usual.batchBytesMax());
  }

  Node node() {
    return node;
  }

  ClientSettings settings() {
    return settings;
  }

  List<DaemonAddress> daemons() {
    return daemons;
  }

  ProtectionDomain pd() {
    return pd;
  }

  /** Returns the buffers lent to a daemon; null if none are. */
  MemoryRegion fast(int daemon) {
    return fast.isEmpty() ? null : fast.get(daemon);
  }

  RegistrationStrategy strategy() {
    return strategy;
  }

  CapabilitySource capabilities() {
    return capabilities;
  }

  LostChanges losses() {
    return losses;
  }

  Costs costs() {
    return costs;
  }

  Inbox<IoTask> inbox() {
    return inbox;
  }

  /** Whether every daemon was reachable when the client last checked. */
  boolean reachesAll() {
    return reachesAll;
  }

  void reachesAll(boolean isSo) {
    reachesAll = isSo;
  }

  /** Null for the fabric. */
  Transport transport() {
    return transport;
  }

  /** Close after all queue pairs. */
  void close() {
    strategy.close();
    fast.forEach(node.hca()::deregMr);
    node.hca().deallocPd(pd);
  }
}
