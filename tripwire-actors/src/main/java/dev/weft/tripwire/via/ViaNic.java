package dev.weft.tripwire.via;

import com.typesafe.config.Config;
import dev.weft.tripwire.connect.HardwareLoop;
import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/** The VIA provider of one host (VipOpenNic). Any thread but the hardware thread. */
public final class ViaNic implements AutoCloseable {
  private final Nic nic;
  private final ViaSettings settings;
  private final ViaEngine engine;
  private final HardwareLoop loop;

  private ViaNic(Nic nic, ViaSettings settings) {
    this.nic = nic;
    this.settings = settings;
    engine = new ViaEngine(nic, settings, newWaiter(), newWaiter());
    loop = HardwareLoop.start(nic, "via", engine);
    engine.start(loop);
  }

  /**
   * Opens the provider of a host; each host has one.
   *
   * @param config contains {@code weft.tripwire.via}
   */
  public static ViaNic open(Nic nic, Config config) {
    return new ViaNic(nic, ViaSettings.from(config));
  }

  Nic nic() {
    return nic;
  }

  Waiter newWaiter() {
    return new Waiter(nic.node().context().clock());
  }

  /** A new protection tag (VipCreatePtag). */
  public ProtectionTag createPtag() {
    return new ProtectionTag();
  }

  /**
   * Registers memory (VipRegisterMem).
   *
   * @param enableRdmaWrite whether holders of {@link MemoryHandle#remote} may write it
   */
  public MemoryHandle registerMem(MemorySegment memory, ProtectionTag tag, boolean enableRdmaWrite) {
    if (memory.byteSize() < 1 || memory.isReadOnly() || !memory.isNative()) {
      throw new ViaException(ViaResult.INVALID_PARAMETER, memory + " is no native memory that can be written");
    }
    return new MemoryHandle(memory, tag, enableRdmaWrite ? nic.export(memory) : null);
  }

  /** Deregisters memory: no remote write reaches it any more (VipDeregisterMem). Posted descriptors must not use it. */
  public void deregisterMem(MemoryHandle memory) {
    memory.deregister();
  }

  /** Makes a completion queue for {@code entries} descriptors (VipCreateCQ). */
  public CompletionQueue createCq(int entries) {
    if (entries < 1 || entries > 1 << 20) {
      throw new ViaException(ViaResult.INVALID_PARAMETER, "a completion queue of " + entries + " entries, want 1 to " + (1 << 20));
    }
    return new CompletionQueue(entries, newWaiter());
  }

  /**
   * Makes a VI (VipCreateVi).
   *
   * @param sendCq reports completed sends, or null
   * @param receiveCq reports completed receives, or null
   * @throws ViaException INVALID_RELIABILITY_LEVEL, INVALID_PTAG, INVALID_MTU, or ERROR_RESOURCE
   */
  public Vi createVi(ViAttributes attributes, CompletionQueue sendCq, CompletionQueue receiveCq) {
    if (attributes.reliability() != ViAttributes.Reliability.RELIABLE_DELIVERY) {
      throw new ViaException(ViaResult.INVALID_RELIABILITY_LEVEL, "this provider does RELIABLE_DELIVERY, not " + attributes.reliability());
    }
    if (attributes.tag() == null) {
      throw new ViaException(ViaResult.INVALID_PTAG, "a VI needs a protection tag");
    }
    if (attributes.maxTransferBytes() < 1 || attributes.maxTransferBytes() > settings.transferMaxBytes()) {
      throw new ViaException(ViaResult.INVALID_MTU, "transfers of " + attributes.maxTransferBytes() + " bytes, want 1 to "
          + settings.transferMaxBytes());
    }
    reserve(sendCq, receiveCq);
    Vi vi = new Vi(this, engine, attributes, sendCq, receiveCq);
    try {
      engine.control(() -> engine.add(vi));
    } catch (ViaException refused) {
      giveBack(vi);
      throw refused;
    }
    return vi;
  }

  private void reserve(CompletionQueue sendCq, CompletionQueue receiveCq) {
    if (sendCq != null) {
      sendCq.reserve(settings.queueDepth());
    }
    try {
      if (receiveCq != null) {
        receiveCq.reserve(settings.queueDepth());
      }
    } catch (ViaException full) {
      if (sendCq != null) {
        sendCq.giveBack(settings.queueDepth());
      }
      throw full;
    }
  }

  private void giveBack(Vi vi) {
    for (boolean isReceive : new boolean[] {false, true}) {
      CompletionQueue cq = vi.queue(isReceive).cq();
      if (cq != null) {
        cq.giveBack(settings.queueDepth());
      }
    }
  }

  void forget(Vi vi) {
    engine.control(() -> engine.remove(vi));
    giveBack(vi);
  }

  /** Waits for a request with this discriminator (VipConnectWait); returns null after {@code maxNs}. */
  public ConnectionRequest connectWait(int discriminator, long maxNs) {
    return engine.await(discriminator, maxNs);
  }

  /** Sets the handler of errors that belong to no call; null removes it (VipErrorCallback). */
  public void errorCallback(ViaErrorHandler handler) {
    engine.onError(handler);
  }

  /** Ends all connections (VipCloseNic). */
  @Override
  public void close() {
    loop.close(engine::close);
  }
}
