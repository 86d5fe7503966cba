package dev.weft.lab.hosts;

import java.util.List;

/** How long a device that serves one request at a time takes, and which it takes first. Decision logic without actors. */
public interface DeviceModel {
  /** A request as the model sees it; bytes of the device. */
  record Io(boolean isWrite, long offset, int length) {
    long end() {
      return offset + length;
    }
  }

  /** Index of the waiting request to serve next; {@code waiting} is in the order of arrival and not empty. */
  default int next(List<Io> waiting) {
    return 0;
  }

  /** Whether two requests may be served as one, the second right behind the first. */
  default boolean merges(Io first, Io second) {
    return false;
  }

  /** Nanoseconds from now until it has served the request. Called once for each, in the order of service. */
  long serviceNs(Io io, long nowNs);
}
