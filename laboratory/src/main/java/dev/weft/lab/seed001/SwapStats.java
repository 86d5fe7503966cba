package dev.weft.lab.seed001;

/** What swapping did. */
public final class SwapStats {
  /** Faults that needed no I/O. */
  public long minorFaults;
  /** Faults that waited for a read. */
  public long majorFaults;
  public long pagesOut;
  public long pagesIn;
  /** Of the pages read, those nobody had asked for yet. */
  public long pagesReadAhead;
  public long writeRequests;
  public long readRequests;
  public long pagesDropped;
  /** Nanoseconds that threads waited for reads and for frames. */
  public long readWaitNs;
  public long frameWaitNs;

  /** Mean bytes of a request, reads and writes together; 0 without requests. */
  public double meanRequestBytes() {
    long requests = writeRequests + readRequests;
    return requests == 0 ? 0 : 4096.0 * (pagesOut + pagesIn) / requests;
  }

  /** Mean bytes of a write request; 0 without. */
  public double meanWriteBytes() {
    return writeRequests == 0 ? 0 : 4096.0 * pagesOut / writeRequests;
  }
}
