package dev.weft.pager.swap;

/**
 * NBD over TCP as seed 001 section 6.2 describes it: one request at a time, each a message, the server's copy and an answer.
 * The stream's rate and latency are end to end, with both hosts' TCP stacks in them.
 */
final class TcpModel implements DeviceModel {
  private static final int REQUEST_BYTES = 28;
  private static final int REPLY_BYTES = 16;

  private final SwapProfile profile;
  private final String path;

  /** @param path section of the profile, {@code tcp-ipoib} or {@code tcp-gige} */
  TcpModel(SwapProfile profile, String path) {
    this.profile = profile;
    this.path = path;
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
    return profile.us(path + ".latency") + profile.transferNs(path + ".rate", bytes);
  }
}
