package dev.weft.lab.hosts;


/**
 * NBD over TCP as seed 001 section 6.2 describes it: one request at a time, each a message, the server's copy and an answer.
 * What the stacks of both hosts and the wire cost is the hardware profile's.
 */
public final class TcpModel implements DeviceModel {
  private static final int REQUEST_BYTES = 28;
  private static final int REPLY_BYTES = 16;

  private final SwapProfile profile;
  private final TcpCosts path;

  /** @param path of the hardware profile, {@code ipoib} or {@code gige} */
  public TcpModel(SwapProfile profile, String path) {
    this.profile = profile;
    this.path = TcpCosts.of(profile.hardware().name(), path);
  }

  @Override
  public long serviceNs(Io io, long nowNs) {
    int there = REQUEST_BYTES + (io.isWrite() ? io.length() : 0);
    int back = REPLY_BYTES + (io.isWrite() ? 0 : io.length());
    long copyNs = profile.transferNs(io.isWrite() ? "server.write-rate" : "server.read-rate", io.length());
    return messageNs(there) + copyNs + messageNs(back);
  }

  /** One way through both stacks. */
  long messageNs(long bytes) {
    return path.messageNs(bytes, profile.hardware().memory());
  }
}
