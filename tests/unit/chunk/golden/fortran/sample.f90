! Shapes and their areas.
module shapes
  use iso_fortran_env, only: real64
  implicit none
  private
  public :: circle, area

  integer, parameter :: limit = 100
  real(real64) :: scale = 1.0

  !> A circle has a radius, "Größe".
  type, public :: circle
    real(real64) :: radius
  contains
    procedure :: grow => circle_grow
  end type circle

  type, extends(circle) :: ring
    real :: inner
  end type

  interface area
    module procedure circle_area
  end interface area

  abstract interface
    function callback(x) result(y)
      real, intent(in) :: x
      real :: y
    end function callback
  end interface

  enum, bind(c)
    enumerator :: red = 1, green
  end enum

contains

  !> The area of a circle.
  !! Never negative.
  pure function circle_area(c) result(a)
    type(circle), intent(in) :: c
    real(real64) :: a
    a = 3.14_real64 * square(c%radius)
  contains
    pure real(real64) function square(x)
      real(real64), intent(in) :: x
      square = x * x
    end function square
  end function circle_area

  ! Makes it larger.
  subroutine circle_grow(self, by)
    class(circle), intent(inout) :: self
    real(real64), intent(in) :: by
    self%radius = self%radius + by
  end subroutine circle_grow

end module shapes

submodule (shapes) details
contains
  module subroutine hidden()
    print *, "é 🎉"
  end subroutine hidden
end submodule details

program main
  use shapes
  implicit none
  print *, "hallo"
end program main
