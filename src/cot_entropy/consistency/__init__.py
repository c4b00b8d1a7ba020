"""The second signal: does the stated reasoning lead to the stated answer?"""
