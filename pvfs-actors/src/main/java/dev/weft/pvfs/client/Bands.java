package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.Locale;

/** The communication manager: how the data of a request moves (PVFS over InfiniBand, section 4.6). */
final class Bands {
  private final ClientSettings settings;

  Bands(ClientSettings settings) {
    this.settings = settings;
  }

  /** Returns the band of a request; FAST only if the link can carry that length. */
  Band of(DaemonTask request, DaemonLink link) {
    if (request.op != DaemonOp.READ && request.op != DaemonOp.WRITE) {
      return Band.INLINE;
    }
    long bytes = request.file.totalBytes();
    boolean mayInline = bytes <= Math.min(settings.inlineBytes(), link.inlineBytes());
    boolean mayFast = bytes <= Math.min(settings.fastBytes(), link.fastBytes());
    Band forced = request.op == DaemonOp.WRITE ? settings.forcedWrites() : settings.forced();
    if (forced != null) {
      return switch (forced) {
        case INLINE -> mayInline ? Band.INLINE : Band.SERVER;
        case FAST -> mayFast ? Band.FAST : Band.SERVER;
        case SERVER, CLIENT -> forced;
      };
    }
    Band usual = mayInline ? Band.INLINE : mayFast ? Band.FAST : Band.SERVER;
    return link.tuner == null ? usual : link.tuner.choose(request.op == DaemonOp.WRITE, bytes, mayInline, mayFast, usual);
  }

  /** Describes the bands for people. */
  String describe(DaemonLink link) {
    if (settings.forced() != null) {
      return (settings.forced() == settings.forcedWrites() ? settings.forced().name().toLowerCase(Locale.ROOT) : "hybrid") + ", forced";
    }
    String found = link.tuner == null ? "" : link.tuner.describe();
    if (!found.isEmpty()) {
      return found + "; longer ones by server";
    }
    return "inline to " + Math.min(settings.inlineBytes(), link.inlineBytes()) + ", fast to " + Math.min(settings.fastBytes(), link.fastBytes())
        + ", server";
  }
}
