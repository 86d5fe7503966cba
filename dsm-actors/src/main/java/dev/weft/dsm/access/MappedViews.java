package dev.weft.dsm.access;

/**
 * Views of an array in the memory of other processes, which reach it by plain loads and stores and stall where they have not the right to. Called
 * in the receive context; never sleeps.
 */
public interface MappedViews {
  /**
   * Takes rights in a minipage from all views; the page table has been lowered before. True if nobody can do more than {@code rights} allows, and all
   * that was written is in this node's frame. False if this must be tried again, because somebody is about to change the views.
   */
  boolean tryLower(int index, byte rights);

  /** Whether a view was given the minipage a moment ago, so that taking it now would be in vain. */
  boolean hasServed(int index);

  /** The array is no more: whoever touches it from now on gets an error. */
  void end(String why);

  /** Whether {@link #end} is over: nothing is copied to the frame any more. */
  boolean hasEnded();
}
