package dev.weft.lab.hosts;

import dev.weft.fabric.link.LinkProfile;

/** Hardware profiles with something else in them, for explanations. */
public final class WhatIf {
  private WhatIf() {}

  /** The adapter keeps so many contexts of queue pairs. */
  public static HardwareProfile qpContexts(HardwareProfile p, int count) {
    AdapterCosts a = p.adapter();
    return with(p, new AdapterCosts(a.doorbellNs(), a.wqeNs(), a.sendPacketNs(), a.receivePacketNs(), a.ackNs(), a.completionNs(),
        a.readTurnaroundNs(), a.readCompletionNs(), a.busBytesPerSecond(), a.busTransactionNs(), count, a.qpMissNs(), a.translateNs(),
        a.dmaSetupNs()), p.link(), p.switchNs(), p.isCutThrough());
  }

  /** The network for verbs costs nothing. */
  public static HardwareProfile freeNetwork(HardwareProfile p) {
    return with(p, AdapterCosts.FREE, new LinkProfile(0, 0), 0, false);
  }

  private static HardwareProfile with(HardwareProfile p, AdapterCosts adapter, LinkProfile link, long switchNs, boolean isCutThrough) {
    return new HardwareProfile(p.name(), p.title(), p.cpu(), p.memory(), adapter, link, switchNs, isCutThrough, p.mtuBytes(), p.disk());
  }
}
