package dev.weft.dsm.access;

/**
 * Views of an array in other processes, which access it by plain loads and stores and stall where they lack the right. Called in the receive context;
 * never sleeps.
 */
public interface MappedViews {
  /**
   * Revokes rights to a minipage from all views; the caller has lowered the page table before. True if no view can do more than {@code rights}
   * allows, and this node's frame has all stores. False if the caller must try again, because a thread is about to change the views.
   */
  boolean tryLower(int index, byte rights);

  /** Whether a view got the minipage a moment ago, so that taking it now would make the wait for it useless. */
  boolean hasServed(int index);

  /** The array has ended: later accesses to it fail. */
  void end(String why);

  /** Whether {@link #end} is complete: no more data is copied to the frame. */
  boolean hasEnded();
}
